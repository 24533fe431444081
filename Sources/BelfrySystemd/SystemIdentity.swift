// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux
internal import CBelfry

/// The identities that systemd gives to a boot and to one run of a unit (sd-id128(3)).
package nonisolated enum SystemIdentity {
    /// The kernel's id of this boot, 32 hexadecimal digits.
    package static var boot: String? { text(sd_id128_get_boot) }

    /// The id of this run of the unit, `$INVOCATION_ID`; nil outside of systemd.
    package static var invocation: String? { text(sd_id128_get_invocation) }

    private static func text(_ get: (UnsafeMutablePointer<sd_id128_t>?) -> Int32) -> String? {
        var id = sd_id128_t()
        return get(&id) >= 0 ? JournalID(id).text : nil
    }
}

/// The id of a boot or a machine (sd-id128(3)).
package nonisolated struct JournalID: Sendable, Equatable {
    /// 32 hexadecimal digits, as the journal has it.
    package let text: String

    /// Nil for what is no id. Dashes between the parts, as a UUID has them, are allowed.
    package init?(_ text: String) {
        var id = sd_id128_t()
        guard sd_id128_from_string(text, &id) >= 0 else { return nil }
        self.init(id)
    }

    /// This boot.
    package static func boot() throws(SystemError) -> JournalID {
        try read("the id of the boot") { sd_id128_get_boot(&$0) }
    }

    /// This machine.
    package static func machine() throws(SystemError) -> JournalID {
        try read("the id of the machine") { sd_id128_get_machine(&$0) }
    }

    private static func read(
        _ what: String, _ get: (inout sd_id128_t) -> Int32
    ) throws(SystemError) -> JournalID {
        var id = sd_id128_t()
        try SystemError.check(get(&id), verb: "read", object: what)
        return JournalID(id)
    }

    fileprivate init(_ id: sd_id128_t) {
        var buffer = [CChar](repeating: 0, count: 33)
        sd_id128_to_string(id, &buffer)
        text = String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
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
