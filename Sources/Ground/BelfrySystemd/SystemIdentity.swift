// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux
internal import CBelfry

/// The ids of a boot, a machine and one run of a unit: 32 hexadecimal digits (sd-id128(3)).
package nonisolated enum SystemIdentity {
    /// The kernel's id of this boot; nil where it is not visible, as without `/proc`.
    ///
    /// - Throws: when the system failed to read it. Without it everything that is kept would look like another boot's.
    package static func readBoot() throws(SystemError) -> String? {
        var result: Int32 = 0
        let boot = text {
            result = sd_id128_get_boot($0)
            return result
        }
        guard result < 0 else { return boot }
        let error = SystemError(result, verb: "read the id of", object: "boot")
        if error.isSystemFailure { throw error }
        return nil
    }

    /// The id of this machine.
    static var machine: String? { text(sd_id128_get_machine) }

    /// The id of this run of the unit, `$INVOCATION_ID`; nil outside of systemd.
    package static var invocation: String? { text(sd_id128_get_invocation) }

    /// An id that is written with or without dashes; nil for any other text.
    package static func parse(_ id: String) -> String? { text { sd_id128_from_string(id, $0) } }

    private static func text(_ get: (UnsafeMutablePointer<sd_id128_t>?) -> Int32) -> String? {
        var id = sd_id128_t()
        guard get(&id) >= 0 else { return nil }
        var buffer = [CChar](repeating: 0, count: 33)
        sd_id128_to_string(id, &buffer)
        return String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// An id of 128 bits, such as that of a boot, as two words: the form in which it is stored in memory that outlives
/// the process.
package nonisolated struct IdentifierWords: Sendable, Equatable {
    private let high: UInt64
    private let low: UInt64

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The id of 32 hexadecimal digits; other characters count as zeros.
    package init(_ text: String) {
        self.init(high: UInt64(text.prefix(16), radix: 16) ?? 0, low: UInt64(text.dropFirst(16), radix: 16) ?? 0)
    }

    /// The value of memory without an id.
    package static let zero = IdentifierWords(high: 0, low: 0)

    /// A new unique id.
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
