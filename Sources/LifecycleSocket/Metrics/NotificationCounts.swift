// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle

/// How often what was posted. Names come from strangers too: those beyond a limit are counted together.
struct NotificationCounts {
    private static let limit = 256

    private(set) var byName: [LifecycleNotification.Name: UInt64] = [:]
    private(set) var bySignal: [String: UInt64] = [:]
    /// Of names that came too late to be counted apart.
    private(set) var ofOthers: UInt64 = 0

    mutating func note(_ notification: LifecycleNotification) {
        if byName.count < Self.limit || byName[notification.name] != nil {
            byName[notification.name, default: 0] += 1
        } else {
            ofOthers += 1
        }
        if case .signal(let signal) = notification.origin { bySignal[signal.name, default: 0] += 1 }
    }
}
