// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryJSON

/// A notification as its record in the journal has it.
package nonisolated enum JournalNotificationReader {
    /// What the names of its fields begin with.
    package static let prefix: StaticString = "BELFRY_"

    /// The notification in the shape that `io.belfry.Lifecycle` declares, its members in the order of the socket; nil
    /// for a record of something else, such as what a listener made of one.
    package static func object(_ fields: [String: String], bootID: String) -> JSONObject? {
        guard let name = fields["BELFRY_NOTIFICATION"], fields["BELFRY_LISTENER"] == nil,
            fields["BELFRY_TIMELINE"] == nil
        else { return nil }
        var object: JSONObject = [
            "sequence": number(fields["BELFRY_SEQUENCE"]), "name": .string(name), "state": text(fields["BELFRY_STATE"]),
            "previousState": text(fields["BELFRY_PREVIOUS_STATE"]), "bootId": .string(bootID),
            "origin": .object(origin(fields)),
        ]
        object["trigger"] = fields["BELFRY_TRIGGER"].map { .string($0) }
        object["realtimeUsec"] = number(fields["BELFRY_REALTIME_USEC"])
        object["monotonicUsec"] = number(fields["BELFRY_MONOTONIC_USEC"])
        object["userInfo"] = .object(userInfo(fields) ?? [:])
        return object
    }

    private static func origin(_ fields: [String: String]) -> JSONObject {
        var origin: JSONObject = ["kind": text(fields["BELFRY_ORIGIN"])]
        origin["signal"] = fields["BELFRY_SIGNAL"].map { .string($0) }
        origin["pid"] = fields["BELFRY_SENDER_PID"].map(number)
        origin["uid"] = fields["BELFRY_SENDER_UID"].map(number)
        origin["loginUid"] = fields["BELFRY_SENDER_LOGINUID"].map(number)
        origin["unit"] = fields["BELFRY_SENDER_UNIT"].map { .string($0) }
        origin["command"] = fields["BELFRY_SENDER_COMMAND"].map { .string($0) }
        origin["sender"] = fields["BELFRY_SIGNAL_SENDER"].map { .string($0) }
        origin["value"] = fields["BELFRY_SIGNAL_VALUE"].map(number)
        return origin
    }

    /// Nil when it is not what was written.
    package static func userInfo(_ fields: [String: String]) -> JSONObject? {
        guard let text = fields["BELFRY_USER_INFO"] else { return [:] }
        return (try? JSONValue(json: Array(text.utf8)))?.objectValue
    }

    private static func number(_ text: String?) -> JSONValue { .int(text.flatMap { Int64($0) } ?? 0) }
    private static func text(_ text: String?) -> JSONValue { .string(text ?? "") }
}
