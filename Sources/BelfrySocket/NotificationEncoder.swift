// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import Varlink

/// Makes replies of notifications, one after the other in the same memory. What a notification has in common with the one
/// before it is written once: what a client posts in one turn mostly differs in number and user info alone.
nonisolated struct NotificationEncoder: ~Copyable {
    /// What the last one had in common with those that are posted under the same name, in the same state, at the same time,
    /// by the same.
    private struct Common {
        let name: LifecycleNotification.Name
        let state: LifecycleState
        let previousState: LifecycleState
        let time: LifecycleTime
        let origin: LifecycleOrigin

        init(_ notification: LifecycleNotification) {
            name = notification.name
            state = notification.state
            previousState = notification.previousState
            time = notification.time
            origin = notification.origin
        }

        func holds(for notification: LifecycleNotification) -> Bool {
            time == notification.time && name == notification.name && state == notification.state
                && previousState == notification.previousState
                && origin == notification.origin
        }
    }

    private let bootID: String
    private var writer = JSONWriter()
    private var common: Common?
    private var commonText = JSONWriter()

    init(bootID: String) { self.bootID = bootID }

    /// The last notification that was encoded, as it is on the wire. Valid until the next is.
    var message: UnsafeRawBufferPointer { UnsafeRawBufferPointer(writer.bytes) }

    /// Encodes a notification.
    mutating func encode(_ notification: LifecycleNotification) {
        if common?.holds(for: notification) != true {
            common = Common(notification)
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
