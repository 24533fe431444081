// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
package import BelfryLinux

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

    private init(_ id: sd_id128_t) {
        var buffer = [CChar](repeating: 0, count: 33)
        sd_id128_to_string(id, &buffer)
        text = String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
