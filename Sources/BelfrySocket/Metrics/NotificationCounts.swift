// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle

/// How often what was posted. Names come from strangers too: those beyond a limit are counted together.
final class NotificationCounts {
    private static let limit = 256

    @exclusivity(unchecked)  // nothing calls out while it is used
    private(set) var byName: [LifecycleNotification.Name: UInt64] = [:]
    private(set) var bySignal: [String: UInt64] = [:]
    /// Of names that came too late to be counted apart.
    private(set) var ofOthers: UInt64 = 0

    /// Where the last one was counted, as the next is often called the same.
    @exclusivity(unchecked)  // as above
    private var last: (name: LifecycleNotification.Name, place: Dictionary<LifecycleNotification.Name, UInt64>.Index)?

    func note(_ notification: LifecycleNotification) {
        if let last, last.name == notification.name {
            byName.values[last.place] += 1
        } else if let place = byName.index(forKey: notification.name) {
            byName.values[place] += 1
            last = (notification.name, place)
        } else if byName.count < Self.limit {
            byName[notification.name] = 1
            last = nil
        } else {
            ofOthers += 1
        }
        if case .signal(let signal) = notification.origin { bySignal[signal.name, default: 0] += 1 }
    }
}
