// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The observers and listeners of one name.
nonisolated final class Recipients {
    let name: LifecycleNotification.Name
    let observers = ObserverList<LifecycleNotification>()
    /// How many listeners answer.
    var listenerCount = 0
    /// The listeners that answer, in the order of delivery.
    private(set) var calls: [DueCall] = []
    /// Whether all of them answer within their calls.
    private(set) var isImmediate = false
    /// The revision of the registry whose listeners these are.
    private(set) var revision = -1

    init(_ name: LifecycleNotification.Name) { self.name = name }

    /// Whether the name has neither listeners nor observers.
    var isEmpty: Bool { listenerCount == 0 && observers.isEmpty }

    /// Stores the listeners in their order.
    @MainActor func setListeners(_ calls: [DueCall], revision: Int) {
        self.calls = calls
        isImmediate = calls.allSatisfy { $0.immediate != nil }
        self.revision = revision
    }
}

extension LifecycleMediator {
    /// Whether a listener answers this name, or an observer asks for it by name.
    package func hasRecipients(of name: LifecycleNotification.Name) -> Bool { registry.find(name)?.isEmpty == false }
}
