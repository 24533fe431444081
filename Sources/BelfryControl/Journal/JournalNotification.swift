// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// A notification as its record in the journal has it.
package nonisolated enum JournalNotification {
    /// The fields that are read.
    package static let fields = [
        "BELFRY_NOTIFICATION", "BELFRY_SEQUENCE", "BELFRY_STATE", "BELFRY_PREVIOUS_STATE", "BELFRY_ORIGIN",
        "BELFRY_REALTIME_USEC", "BELFRY_MONOTONIC_USEC", "BELFRY_SIGNAL", "BELFRY_SIGNAL_VALUE", "BELFRY_SENDER_PID",
        "BELFRY_SENDER_UID", "BELFRY_SENDER_UNIT", "BELFRY_USER_INFO", "BELFRY_LISTENER", "_BOOT_ID",
    ]

    /// The notification in the shape that `io.belfry.Lifecycle` declares; nil for a record of something else, such as
    /// what a listener made of one.
    package static func object(_ fields: [String: String]) -> VarlinkObject? {
        guard let name = fields["BELFRY_NOTIFICATION"], fields["BELFRY_LISTENER"] == nil else { return nil }
        let info = fields["BELFRY_USER_INFO"].flatMap { try? VarlinkValue(json: Array($0.utf8)) }
        return [
            "sequence": number(fields["BELFRY_SEQUENCE"]), "name": .string(name), "state": text(fields["BELFRY_STATE"]),
            "previousState": text(fields["BELFRY_PREVIOUS_STATE"]),
            "realtimeUsec": number(fields["BELFRY_REALTIME_USEC"]),
            "monotonicUsec": number(fields["BELFRY_MONOTONIC_USEC"]), "bootId": text(fields["_BOOT_ID"]),
            "origin": .object(origin(fields)), "userInfo": .object(info?.objectValue ?? [:]),
        ]
    }

    private static func origin(_ fields: [String: String]) -> VarlinkObject {
        var origin: VarlinkObject = ["kind": text(fields["BELFRY_ORIGIN"])]
        origin["signal"] = fields["BELFRY_SIGNAL"].map { .string($0) }
        origin["pid"] = fields["BELFRY_SENDER_PID"].map(number)
        origin["uid"] = fields["BELFRY_SENDER_UID"].map(number)
        origin["unit"] = fields["BELFRY_SENDER_UNIT"].map { .string($0) }
        origin["value"] = fields["BELFRY_SIGNAL_VALUE"].map(number)
        return origin
    }

    private static func number(_ text: String?) -> VarlinkValue { .int(text.flatMap { Int64($0) } ?? 0) }
    private static func text(_ text: String?) -> VarlinkValue { .string(text ?? "") }
}
