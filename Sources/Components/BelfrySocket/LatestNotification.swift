// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import Varlink

/// The last notification without its user info, which may be long, and when the state last changed.
final class LatestNotification {
    private var last:
        (sequence: UInt64, name: LifecycleNotification.Name, realtimeUsec: UInt64, origin: LifecycleOrigin)?
    /// By CLOCK_REALTIME; nil before the first change.
    private(set) var stateSinceUsec: UInt64?

    func update(_ notification: LifecycleNotification) {
        let realtimeUsec = notification.time.realtimeUsec
        last = (notification.sequence, notification.name, realtimeUsec, notification.origin)
        if notification.state != notification.previousState { stateSinceUsec = realtimeUsec }
    }

    /// As `GetState` has it; nil before the first one.
    var notification: JSONObject? {
        last.map {
            [
                "sequence": .int(Int64(clamping: $0.sequence)), "name": .string($0.name.rawValue),
                "realtimeUsec": .int(Int64(clamping: $0.realtimeUsec)), "origin": .object($0.origin.userInfo),
            ]
        }
    }
}
