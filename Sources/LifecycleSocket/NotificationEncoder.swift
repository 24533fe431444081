// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import Varlink

/// Makes replies of notifications, one after the other in the same memory. What a notification has in common with the one
/// before it is written once: what a client posts in one turn differs in number, name and user info alone.
nonisolated struct NotificationEncoder: ~Copyable {
    private struct Common: Equatable {
        let state: LifecycleState
        let previousState: LifecycleState
        let time: LifecycleTime
        let origin: LifecycleOrigin
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
        let common = Common(
            state: notification.state, previousState: notification.previousState, time: notification.time,
            origin: notification.origin)
        if common != self.common {
            self.common = common
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
