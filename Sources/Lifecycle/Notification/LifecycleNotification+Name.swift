// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

nonisolated extension LifecycleNotification {
    /// The name of a notification: a letter, then letters, digits, dots and dashes, at most 255 characters.
    public struct Name: Sendable, Hashable {
        /// The name as it is written in configuration, in the journal and on the socket.
        public let rawValue: String
        /// The hash of the name, computed once and not at every look-up. Strangers choose names, so it has the seed of the
        /// process.
        let hash: UInt64
        /// What it is, looked up once as well.
        private let traits: Traits

        /// Nil when `rawValue` is not a name.
        public init?(_ rawValue: String) {
            var text = rawValue
            let isName = text.withUTF8 { bytes in
                guard let first = bytes.first, Self.isLetter(first), bytes.count <= 255 else { return false }
                return bytes.allSatisfy {
                    Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
                }
            }
            guard isName else { return nil }
            self.init(catalogue: text)
        }

        init(catalogue rawValue: String) {
            self.rawValue = rawValue
            hash = Self.hash(rawValue)
            traits = Traits.known[hash].flatMap { $0.name == rawValue ? $0.traits : nil } ?? []
        }

        static func hash(_ text: String) -> UInt64 {
            var (text, hasher) = (text, Hasher())
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }

        /// Whether it belongs to a transition, so that only the state machine may post it.
        public var isTransition: Bool { traits.contains(.transition) }

        /// Whether listeners are told in reverse order.
        var isLeaving: Bool { traits.contains(.leaving) }

        /// Whether the names are the same.
        public static func == (left: Self, right: Self) -> Bool {
            left.hash == right.hash && left.rawValue == right.rawValue
        }

        /// Feeds what was computed once.
        public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

        private static func isLetter(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }

        private static func isDigit(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
    }
}

nonisolated extension LifecycleNotification.Name: CustomStringConvertible {
    /// The name itself.
    public var description: String { rawValue }
}
