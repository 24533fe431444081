// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// An id of 128 bits, such as that of a boot, as two words: the form in which it lies in memory that outlives the process.
package nonisolated struct IdentifierWords: Sendable, Equatable {
    private let high: UInt64
    private let low: UInt64

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The id that 32 hexadecimal digits stand for; what are no digits count as zeros.
    package init(_ text: String) {
        self.init(high: UInt64(text.prefix(16), radix: 16) ?? 0, low: UInt64(text.dropFirst(16), radix: 16) ?? 0)
    }

    /// What memory holds in which no id was written yet.
    package static let zero = IdentifierWords(high: 0, low: 0)

    /// An id that nobody else has.
    package static var random: IdentifierWords {
        IdentifierWords(high: .random(in: 1...(.max)), low: .random(in: 1...(.max)))
    }

    /// 32 hexadecimal digits.
    package var text: String { Self.digits(high) + Self.digits(low) }

    private static func digits(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
