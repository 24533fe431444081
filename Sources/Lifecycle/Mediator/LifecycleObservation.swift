// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// An observer's place in a mediator. The observation ends when this is dropped or cancelled.
@MainActor
public final class LifecycleObservation {
    private var observer: ObserverList.Observer?
    private let list: ObserverList

    init(_ observer: ObserverList.Observer, in list: ObserverList) {
        self.observer = observer
        self.list = list
    }

    /// Ends the observation: the observer is not called again, not even for a notification that is being delivered.
    public func cancel() {
        guard let observer else { return }
        self.observer = nil
        list.remove(observer)
    }

    isolated deinit { cancel() }
}
