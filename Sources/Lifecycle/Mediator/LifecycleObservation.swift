// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// An observer's place in a mediator. The observation ends when this is dropped or cancelled.
@MainActor
public final class LifecycleObservation {
    private var place: ObserverList.Place?
    private let list: ObserverList

    init(_ place: ObserverList.Place, in list: ObserverList) {
        self.place = place
        self.list = list
    }

    /// Ends the observation: the observer is not called again, not even for a notification that is being delivered.
    public func cancel() {
        guard let place else { return }
        self.place = nil
        list.remove(place)
    }

    isolated deinit { cancel() }
}
