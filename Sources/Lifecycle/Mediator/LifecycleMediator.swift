// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Hears of everything that happens to the service, once, and tells whoever wants to know.
///
/// It has NotificationCenter's verbs for observers, who are told at once and have no say, and listeners for whoever
/// takes part: in order, under a deadline, with an answer. What moves the service between states goes through
/// `perform(_:)`, one transition at a time; everything else is posted.
///
/// Everything happens on the main actor. It reads no clock and touches no file: both are handed in.
public final class LifecycleMediator {
    /// How long listeners may take, up to a hundred years. What is under way keeps to it too, unless it was given more
    /// time already.
    public var deadlines: LifecycleDeadlines {
        get { limits }
        set {
            limits = newValue.bounded
            perform(transitions.apply(limits))
        }
    }
    @exclusivity(unchecked)  // nothing calls out while it is used
    private(set) var limits: LifecycleDeadlines
    /// The time, for the deadlines of those who take part.
    package let clock: any LifecycleClock
    let sequence: any LifecycleSequence
    let observersOfAll = ObserverList()
    let eventObservers = EventObserverList()
    /// The listeners that the last health check found unhealthy.
    var unhealthy: [ListenerHealthReport] = []
    let registry = ListenerRegistry()
    let observerIndex: ObserverIndex
    let transitions: TransitionRunner
    let backgroundTasks = BackgroundTaskList()
    /// The delivery of the transition under way.
    var delivery: Delivery?
    /// The wait of the transition under way for background tasks.
    var taskWait: BackgroundTaskWait?
    /// Reads the configuration for a reload, and for the launch of a mediator that was made without one, which is refused
    /// when that fails. It throws `LifecycleReloadError` with everything that is wrong.
    public var readConfiguration: (() throws -> LifecycleConfiguration)?

    /// Makes a mediator for a service that has not launched yet.
    ///
    /// - Parameters:
    ///   - clock: the time.
    ///   - sequence: the number of the last notification within this boot.
    ///   - configuration: what holds until the first reload; read by `readConfiguration` when the launch begins if nil.
    ///   - deadlines: how long listeners may take.
    public init(
        clock: any LifecycleClock, sequence: any LifecycleSequence = TransientSequence(),
        configuration: LifecycleConfiguration? = nil,
        deadlines: LifecycleDeadlines = LifecycleDeadlines()
    ) {
        self.clock = clock
        self.sequence = sequence
        observerIndex = registry.observerIndex
        limits = deadlines.bounded
        transitions = TransitionRunner(
            configuration: configuration, deadlines: limits, backgroundTasks: backgroundTasks, clock: clock)
    }

    /// Where the service is.
    public var state: LifecycleState { transitions.machine.state }

    /// The number of the last notification; 0 before the first.
    public var lastSequence: UInt64 { sequence.last }

    /// The configuration that holds.
    public var configuration: LifecycleConfiguration { transitions.configuration ?? LifecycleConfiguration() }

    // MARK: Observers

    /// Calls `handler` for each notification of this name, or for every notification when it is nil, until the
    /// observation is cancelled or dropped.
    ///
    /// Observers are called in the order they were added, those of everything first, before any listener is. One that
    /// is added during a post hears of the next; one that is removed during a post is not called any more.
    public func addObserver(
        forName name: LifecycleNotification.Name? = nil, using handler: @escaping (LifecycleNotification) -> Void
    ) -> LifecycleObservation {
        guard let name else {
            let observer = observersOfAll.add(handler)
            return LifecycleObservation { [observersOfAll] in observersOfAll.remove(observer) }
        }
        let recipients = observerIndex.recipients(of: name)
        let observer = recipients.observers.add(handler)
        return LifecycleObservation { [observerIndex] in
            recipients.observers.remove(observer)
            observerIndex.removeIfEmpty(recipients)
        }
    }

    /// Calls `handler` for each notification of this type whose user info fits it, as `addObserver(forName:using:)`.
    public func addObserver<Event: LifecycleEvent>(
        of type: Event.Type, using handler: @escaping (Event) -> Void
    ) -> LifecycleObservation {
        addObserver(forName: Event.name) { notification in
            if let event = Event(userInfo: notification.userInfo) { handler(event) }
        }
    }

    /// Ends an observation. The same as `observation.cancel()`.
    public func removeObserver(_ observation: LifecycleObservation) { observation.cancel() }

    /// The notifications of this name, or all when it is nil, from now on. What is not taken in time waits, up to
    /// `limit`; then the oldest are dropped.
    public func notifications(
        named name: LifecycleNotification.Name? = nil, bufferingNewest limit: Int = 1024
    ) -> AsyncStream<LifecycleNotification> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: LifecycleNotification.self, bufferingPolicy: .bufferingNewest(limit))
        let holder = ObservationHolder()
        holder.observation = addObserver(forName: name) { notification in
            if case .terminated = continuation.yield(notification) { holder.observation = nil }
        }
        return stream
    }

    // MARK: Posting

    /// Posts a notification: observers are called before this returns, listeners begin.
    ///
    /// - Parameters:
    ///   - name: any name but those of a transition, which belong to `perform(_:)`.
    ///   - userInfo: what else there is to know.
    ///   - origin: who caused it.
    ///   - completion: called once, when all listeners are done or out of time; before this returns if none suspends.
    /// - Returns: its number.
    @discardableResult
    public func post(
        _ name: consuming LifecycleNotification.Name, userInfo: consuming UserInfo = [:],
        origin: consuming LifecycleOrigin = .service, completion: ((LifecycleReport) -> Void)? = nil
    ) -> UInt64 {
        precondition(!name.isTransition, "a name that belongs to a transition cannot be posted")
        observerIndex.beginUse()
        defer { observerIndex.endUse() }
        let recipients = observerIndex.find(name)
        let state = state
        let notification = LifecycleNotification(
            name: name, sequence: sequence.next(), time: clock.stamp, previousState: state, state: state,
            origin: origin, userInfo: userInfo)
        announce(notification, to: recipients)
        if let recipients = registry.answering(recipients, notification.name) {
            deliver(recipients, notification, completion)
        } else if let completion {
            completion(LifecycleReport(notification: notification, listeners: []))
        }
        return notification.sequence
    }

    /// Posts a typed notification.
    ///
    /// - Returns: its number.
    @discardableResult
    public func post<Event: LifecycleEvent>(
        _ event: Event, origin: LifecycleOrigin = .service, completion: ((LifecycleReport) -> Void)? = nil
    ) -> UInt64 {
        post(Event.name, userInfo: event.userInfo, origin: origin, completion: completion)
    }
}
