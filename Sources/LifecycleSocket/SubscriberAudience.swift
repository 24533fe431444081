// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import Varlink

/// Those who asked for the same names.
final class SubscriberAudience {
    let broadcast: VarlinkBroadcast
    /// Nil for all names. What is no name is never posted.
    private let names: [LifecycleNotification.Name]?

    init(_ names: Set<String>?, _ broadcast: VarlinkBroadcast) {
        self.broadcast = broadcast
        self.names = names?.compactMap { LifecycleNotification.Name($0) }
    }

    func wants(_ name: LifecycleNotification.Name) -> Bool { names?.contains(name) ?? true }
}
