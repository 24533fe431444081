// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The observers and listeners of one name.
nonisolated final class Recipients {
    let name: LifecycleNotification.Name
    let observers = ObserverList()
    /// How many listeners answer.
    var listenerCount = 0
    /// The listeners that answer, in groups in the order of delivery.
    private(set) var groups: [[ListenerEntry]] = []
    /// Their answers, if all of them are immediate, in the order of delivery.
    private(set) var immediateAnswers: [ImmediateAnswer]?
    /// The revision of the registry whose listeners these are.
    private(set) var revision = -1

    init(_ name: LifecycleNotification.Name) { self.name = name }

    /// Whether the name has neither listeners nor observers.
    var isEmpty: Bool { listenerCount == 0 && observers.isEmpty }

    /// Stores the listeners in their order.
    func setListeners(
        _ groups: [[ListenerEntry]], _ immediateAnswers: [ImmediateAnswer]?, revision: Int
    ) {
        self.groups = groups
        self.immediateAnswers = immediateAnswers
        self.revision = revision
    }
}
