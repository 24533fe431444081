// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One step of a transition: the notification it owes, and the states before and after it.
public nonisolated struct LifecycleStep: Sendable, Equatable {
    /// The notification to deliver, or nil for a step that nobody can be told of.
    public let name: LifecycleNotification.Name?
    /// The state before.
    public let from: LifecycleState
    /// The state the step leads to. A `did…` notification is delivered in it, a `will…` notification before it.
    public let to: LifecycleState

    /// Whether the service is in the new state already while this is delivered.
    var isArrival: Bool { name?.rawValue.hasPrefix("did") ?? true }

    init(_ name: LifecycleNotification.Name?, _ from: LifecycleState, _ to: LifecycleState) {
        self.name = name
        self.from = from
        self.to = to
    }
}
