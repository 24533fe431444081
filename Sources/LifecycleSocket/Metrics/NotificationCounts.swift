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

    func note(_ notification: LifecycleNotification) {
        if let place = byName.index(forKey: notification.name) {
            byName.values[place] += 1
        } else if byName.count < Self.limit {
            byName[notification.name] = 1
        } else {
            ofOthers += 1
        }
        if case .signal(let signal) = notification.origin { bySignal[signal.name, default: 0] += 1 }
    }
}
