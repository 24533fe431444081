// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import Varlink

/// Encodes notifications as replies, one after the other in the same memory. What a notification has in common with the
/// last one is encoded once: notifications that a client posts mostly differ only in number, time and user info.
nonisolated struct NotificationEncoder: ~Copyable {
    private let bootID: String
    private var writer = JSONWriter()
    /// The notification that `commonText` was written of.
    private var last: LifecycleNotification?
    private var commonText = JSONWriter()

    init(bootID: String) { self.bootID = bootID }

    /// The last encoded notification, as it is on the wire. Valid until the next one is encoded.
    var message: UnsafeRawBufferPointer { UnsafeRawBufferPointer(writer.bytes) }

    /// Encodes a notification.
    mutating func encode(_ notification: LifecycleNotification) {
        if last?.isLike(notification) != true {
            last = notification
            commonText.removeAll()
            commonText.writeCommon(of: notification, bootID: bootID)
        }
        writer.removeAll()
        writer.beginContinuingReply()
        writer.write(raw: "\"notification\":")
        writer.writeBeginning(of: notification)
        writer.write(raw: commonText.bytes)
        writer.writeEnd(of: notification)
        writer.endContinuingReply()
    }
}

private nonisolated extension LifecycleNotification {
    /// Whether both have the same name, states, origin and trigger.
    func isLike(_ other: LifecycleNotification) -> Bool {
        name == other.name && state == other.state && previousState == other.previousState
            && origin == other.origin && trigger == other.trigger
    }
}

/// Writes a notification as JSON, in the form that the interface declares. This runs for every post, so it makes no
/// `JSONObject`.
nonisolated extension JSONWriter {
    mutating func write(_ notification: LifecycleNotification, bootID: String) {
        writeBeginning(of: notification)
        writeCommon(of: notification, bootID: bootID)
        writeEnd(of: notification)
    }

    mutating func writeBeginning(of notification: LifecycleNotification) {
        write(raw: "{\"sequence\":")
        write(Int64(notification.sequence))
    }

    /// Writes what notifications of the same name, state and origin have in common.
    mutating func writeCommon(of notification: LifecycleNotification, bootID: String) {
        write(raw: ",\"name\":")
        write(notification.name.rawValue)
        write(raw: ",\"state\":")
        write(notification.state.rawValue)
        write(raw: ",\"previousState\":")
        write(notification.previousState.rawValue)
        write(raw: ",\"bootId\":")
        write(bootID)
        write(raw: ",\"origin\":")
        // The number of a signal differs between architectures, and clients get its name.
        var origin = notification.origin.userInfo
        origin["number"] = nil
        write(origin)
        if let trigger = notification.trigger {
            write(raw: ",\"trigger\":")
            write(trigger.rawValue)
        }
    }

    mutating func writeEnd(of notification: LifecycleNotification) {
        write(raw: ",\"realtimeUsec\":")
        write(Int64(notification.time.realtimeUsec))
        write(raw: ",\"monotonicUsec\":")
        write(Int64(notification.time.monotonicUsec))
        write(raw: ",\"userInfo\":")
        write(notification.userInfo)
        write(raw: "}")
    }
}
