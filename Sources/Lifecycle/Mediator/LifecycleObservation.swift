// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// An observer's place in a mediator. The observation ends when this is dropped or cancelled.
@MainActor
public final class LifecycleObservation {
    private var observer: ObserverList.Observer?
    private let list: ObserverList
    /// Where the list goes with the last observer; nil for that of everything.
    private let audience: (Audience, in: AudienceTable)?

    init(_ observer: ObserverList.Observer, in list: ObserverList, of audience: (Audience, in: AudienceTable)?) {
        self.observer = observer
        self.list = list
        self.audience = audience
    }

    /// Ends the observation: the observer is not called again, not even for a notification that is being delivered.
    public func cancel() {
        guard let observer else { return }
        self.observer = nil
        list.remove(observer)
        if let (audience, table) = audience { table.removeIfEmpty(audience) }
    }

    isolated deinit { cancel() }
}
