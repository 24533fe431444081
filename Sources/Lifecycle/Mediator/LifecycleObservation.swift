// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// An observer's place in a mediator. The observation ends when this is dropped or cancelled.
@MainActor
public final class LifecycleObservation {
    private let slot: ObserverSlot
    private let list: ObserverList

    init(_ slot: ObserverSlot, in list: ObserverList) {
        self.slot = slot
        self.list = list
    }

    /// Ends the observation: the observer is not called again, not even for a notification that is being delivered.
    public func cancel() { list.remove(slot) }

    isolated deinit { cancel() }
}
