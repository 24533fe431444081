// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

extension LifecycleMediator {
    /// What the mediator reports about its own work, besides the notifications.
    public enum Event: Sendable {
        /// The listeners of a notification are done or out of time. There is no such event for a notification
        /// that no listener answers.
        case delivered(LifecycleReport)
        /// The same, only for a post, and only if at least one of the answers had a deadline (it may have gone on after
        /// its call), failed, was late, or says what was done.
        case postAnswered(LifecycleReport)
        /// A listener says what it did (`ListenerWork`).
        case listenerWorked(ListenerReport, LifecycleNotification)
        /// A listener refused or failed, or did not answer a notification in time.
        case listenerFailed(ListenerReport, LifecycleNotification)
        /// An asynchronous answer that had missed its deadline, so that nothing waited for it any more, has ended. The
        /// outcome is `late`, whatever the answer came to. There is no such event for an answer within a
        /// `CompositeListener`.
        case listenerEnded(ListenerReport, LifecycleNotification)
        /// A transition begins. There is no such event for one that has nothing to do in the present state.
        case began(PendingTransition)
        /// A transition that ran has ended.
        case transitionEnded(TransitionReport)
        /// A stop was accepted. It begins at once, or after the transition under way.
        case stopAccepted(LifecycleOrigin)
        /// A trigger was merged with a transition that waits.
        case merged(LifecycleTrigger, LifecycleOrigin)
        /// A pause or a stop begins to wait for the background tasks of these names.
        case waiting(LifecycleTrigger, [String])
        /// A listener or a background task reports progress to the transition or the post that waits for it.
        case progress(LifecycleProgress)
        /// The unhealthy listeners or their reasons have changed since the last health check. Empty when all are
        /// healthy.
        case healthChanged([ListenerHealthReport])
        /// A listener was added or removed.
        case listenersChanged
        /// A listener says that its state has changed (`restorableStateChanged(of:)`).
        case restorableStateChanged(any RestorableListener)

        /// The kind of this event.
        var kind: EventKind {
            switch self {
            case .delivered: .delivered
            case .postAnswered: .postAnswered
            case .listenerFailed: .listenerFailed
            case .listenerWorked: .listenerWorked
            case .listenerEnded: .listenerEnded
            case .began: .began
            case .transitionEnded: .transitionEnded
            case .stopAccepted: .stopAccepted
            case .merged: .merged
            case .waiting: .waiting
            case .progress: .progress
            case .healthChanged: .healthChanged
            case .listenersChanged: .listenersChanged
            case .restorableStateChanged: .restorableStateChanged
            }
        }
    }

    /// Kinds of events: one for each case of `Event`, with its name.
    public nonisolated enum EventKind: Int, Sendable, CaseIterable {
        /// The event of this name.
        case delivered, postAnswered, listenerFailed, began, transitionEnded, stopAccepted, merged, waiting, progress
        /// The event of this name.
        case healthChanged, listenersChanged, listenerEnded, listenerWorked, restorableStateChanged
    }

    /// Calls `handler` with each event of these kinds, or with every event if none is given, until the observation is
    /// cancelled or released.
    ///
    /// Observers are called in the order in which they were added. One that is added during an event is first called
    /// with the next one. If what an observer posts leads to the next event of the kind, 16 deep, further ones are not
    /// sent until the first has ended.
    public func addEventObserver(
        for kinds: EventKind..., using handler: @escaping (Event) -> Void
    ) -> LifecycleObservation {
        eventObservers.add(kinds, handler)
    }
}

/// The observers of a mediator's events, by their kinds.
final class EventObserverList {
    private typealias List = ObserverList<LifecycleMediator.Event>

    private let lists = LifecycleMediator.EventKind.allCases.map { _ in List() }

    /// Whether anybody observes events of this kind.
    func observes(_ kind: LifecycleMediator.EventKind) -> Bool { !lists[kind.rawValue].isEmpty }

    /// Adds an observer of these kinds, or of all if there are none.
    func add(
        _ kinds: [LifecycleMediator.EventKind], _ handler: @escaping (LifecycleMediator.Event) -> Void
    ) -> LifecycleObservation {
        let ends = Set(kinds.isEmpty ? LifecycleMediator.EventKind.allCases : kinds).map { kind in
            let list = lists[kind.rawValue]
            let observer = list.add(handler)
            return { list.remove(observer) }
        }
        return LifecycleObservation { for end in ends { end() } }
    }

    func send(_ event: LifecycleMediator.Event) {
        let list = lists[event.kind.rawValue]
        // The observer that posts what leads to the next event was told often enough.
        if !list.isEmpty, !list.hasEndlessCalls { list.call(event, upTo: list.beginCall()) }
    }
}

/// A listener or a background task reports progress while something waits for it.
public nonisolated struct LifecycleProgress: Sendable, Equatable {
    /// The transition that waits. If a stop waits for the end of another transition, this is the stop. Nil for a post.
    public let trigger: LifecycleTrigger?
    /// The number of the notification that the listener handles; nil for a background task.
    public let sequence: UInt64?
    /// The name of the listener or the background task.
    public let name: String
    /// What was done, in its own words.
    public let text: String?
    /// The same for programs; nil if it reported none.
    public let details: UserInfo?
    /// The time within which it will report again, or be done.
    public let window: Duration
    /// The time that the transition has from now on. A post has the deadline of the listener; for it this is `window`.
    public let remaining: Duration
    /// Whether that is more than the transition had when it began.
    public let isExtended: Bool

    init(
        _ report: ProgressReport, of name: String, _ sequence: UInt64?, for trigger: LifecycleTrigger?,
        window: Duration,
        remaining: Duration, isExtended: Bool
    ) {
        self.trigger = trigger
        self.sequence = sequence
        self.name = name
        text = report.text
        details = report.details
        self.window = window
        self.remaining = remaining
        self.isExtended = isExtended
    }
}
