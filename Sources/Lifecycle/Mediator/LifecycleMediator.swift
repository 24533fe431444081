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
            transitions.limitsChanged()
        }
    }
    @exclusivity(unchecked)  // nothing calls out while it is used
    private(set) var limits: LifecycleDeadlines
    /// The time, for the deadlines of those who take part.
    package let clock: any LifecycleClock
    let sequence: any LifecycleSequence
    let observersOfAll = ObserverList()
    @exclusivity(unchecked) var reportObservers: [(LifecycleReport) -> Void] = []
    @exclusivity(unchecked) var answerObservers: [(LifecycleReport) -> Void] = []
    var healthObservers: [([ListenerHealthReport]) -> Void] = []
    var troubled: [ListenerHealthReport] = []
    let registry = ListenerRegistry()
    let audiences: AudienceTable
    let transitions: TransitionConductor

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
        audiences = registry.audiences
        limits = deadlines.bounded
        transitions = TransitionConductor(configuration: configuration, clock: clock)
        transitions.connect(
            deadlines: { [unowned self] in self.deadlines },
            needs: { [unowned self] in timeNeeded(for: $0) },
            deliver: { [unowned self] in deliver($0, $1, of: $2, $3) })
    }

    /// Where the service is.
    public var state: LifecycleState { transitions.machine.state }

    /// Whether a stop is under way or waits for its turn, so that another would cut it short.
    package var isStopping: Bool { transitions.stop != nil }

    /// The number of the last notification; 0 before the first.
    public var lastSequence: UInt64 { sequence.last }

    /// The configuration that holds.
    public var configuration: LifecycleConfiguration { transitions.configuration }

    /// Reads the configuration for a reload, and for the launch of a mediator that was made without one, which is refused
    /// when that fails. It throws `LifecycleReloadError` with everything that is wrong with it.
    public var readConfiguration: (() throws -> LifecycleConfiguration)? {
        get { transitions.readConfiguration }
        set { transitions.readConfiguration = newValue }
    }

    /// Adds to what `willTerminate` will tell of the stop that is under way or waits, over what was said before. Does
    /// nothing without one, and once `willTerminate` was posted.
    package func addToStop(_ userInfo: UserInfo) { transitions.stop?.userInfo.merge(userInfo) { $1 } }

    // MARK: Observers

    /// Calls `handler` for each notification of this name, or for every notification when it is nil, until the
    /// observation is cancelled or dropped.
    ///
    /// Observers are called in the order they were added, those of everything first, before any listener is. One that
    /// is added during a post hears of the next; one that is removed during a post is not called any more.
    public func addObserver(
        forName name: LifecycleNotification.Name? = nil, using handler: @escaping (LifecycleNotification) -> Void
    ) -> LifecycleObservation {
        guard let name else { return LifecycleObservation(observersOfAll.add(handler), in: observersOfAll, of: nil) }
        let audience = audiences.audience(of: name)
        let list = audience.observers
        return LifecycleObservation(list.add(handler), in: list, of: (audience, in: audiences))
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

    /// Calls `handler` with what became of each notification, when its listeners are done.
    public func addReportObserver(_ handler: @escaping (LifecycleReport) -> Void) { reportObservers.append(handler) }

    /// Calls `handler` with what became of each notification that some listener was told of. Hardly any that is posted is.
    package func addAnswerObserver(_ handler: @escaping (LifecycleReport) -> Void) { answerObservers.append(handler) }

    /// Calls `handler` with what became of each transition, when it has ended.
    public func addTransitionObserver(_ handler: @escaping (TransitionReport) -> Void) {
        transitions.observers.append(handler)
    }

    /// Calls `handler` when a pause or a stop begins to wait for background tasks, with what these are called.
    package func addWaitObserver(_ handler: @escaping (LifecycleTrigger, [String]) -> Void) {
        transitions.waitObservers.append(handler)
    }

    /// Calls `handler` when a stop is accepted, with who asked for it, before it begins or waits for anything.
    package func addStopObserver(_ handler: @escaping (LifecycleOrigin) -> Void) {
        transitions.stopObservers.append(handler)
    }

    /// Calls `handler` when a trigger is merged with a transition that waits, with who asked for it.
    package func addMergeObserver(_ handler: @escaping (LifecycleTrigger, LifecycleOrigin) -> Void) {
        transitions.mergeObservers.append(handler)
    }

    // MARK: Time

    /// The time that is left to the transition under way, for all listeners together; nil when there is none.
    public var remainingTime: Duration? { transitions.remainingTime }

    /// The listeners, or the background tasks, that the transition under way waits for; none when there is none.
    public var awaited: [String] { transitions.awaited }

    /// Calls `handler` whenever somebody reports progress that a transition waits for.
    public func addProgressObserver(_ handler: @escaping (LifecycleProgress) -> Void) {
        transitions.progressObservers.append(handler)
    }

    /// Begins work that a pause or a stop waits for, as `UIApplication.beginBackgroundTask` does.
    ///
    /// The wait ends with `end()`, when the task is dropped, and at its deadline; before that when the task's share of the
    /// time of the pause or the stop is up and `BackgroundTask.reportProgress` asks for no more, and at a second stop. A
    /// sleep of the machine that waits no longer ends the wait and leaves the task.
    ///
    /// - Parameters:
    ///   - name: what it is called in reports.
    ///   - deadline: how long it may take from now on.
    ///   - expiration: called once when its time is up, before it ends.
    public func beginBackgroundTask(
        named name: String, deadline: Duration, expiration: (() -> Void)? = nil
    ) -> BackgroundTask {
        let list = transitions.backgroundTasks
        let task = BackgroundTask(name, deadline: deadline, clock: clock, in: list, expiration)
        list.add(task)
        return task
    }

    /// Calls `body` once when no background task is under way, which may be now, or when a stop waits for them no longer.
    package func whenBackgroundTasksEnd(_ body: @escaping () -> Void) { transitions.backgroundTasks.whenEmpty(body) }

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
        audiences.beginUse()
        defer { audiences.endUse() }
        let audience = audiences.find(name)
        let state = state
        let notification = LifecycleNotification(
            name: name, sequence: sequence.next(), time: clock.stamp, previousState: state, state: state,
            origin: origin, userInfo: userInfo)
        announce(notification, to: audience)
        if let audience = registry.answering(audience, notification.name) {
            tell(audience, notification, completion)
        } else if completion != nil || !reportObservers.isEmpty {
            report(LifecycleReport(notification: notification, listeners: []), completion)
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

    /// Moves the service: the notifications that `trigger` owes in the present state are delivered in order.
    ///
    /// One transition runs at a time, and others wait. A stop overtakes what waits, and leaves what is under way half of
    /// its own time; a second stop leaves the first no more time; a reload asked for during a reload is merged into one
    /// more, whose `count` says for how many it stands.
    ///
    /// - Parameters:
    ///   - trigger: what happened.
    ///   - origin: who caused it.
    ///   - userInfo: what else there is to know, for the notification that is about the trigger itself. A pause, a resume
    ///     and an interruption pass on `count` alone, with the last of their notifications.
    ///   - completion: called once, when the transition has ended.
    public func perform(
        _ trigger: LifecycleTrigger, origin: LifecycleOrigin = .service, userInfo: UserInfo = [:],
        completion: ((TransitionReport) -> Void)? = nil
    ) {
        transitions.add(Transition(trigger, origin: origin, userInfo: userInfo, completion))
    }
}

extension LifecycleMediator {
    /// Pauses the service for a sleep of the machine, which does not wait forever and may not come after all. What is
    /// reported is what was done for that alone, whoever else asks for a pause.
    package func pauseForSleep(_ completion: @escaping (TransitionReport) -> Void) {
        transitions.add(Transition(.pause, origin: .service, userInfo: [:], isRevocable: true, completion))
    }

    /// The sleep does not come: a pause for it that nobody was told of is given up.
    ///
    /// - Returns: false when listeners are being told of it; it goes on.
    package func revokePauseForSleep() -> Bool { transitions.revoke() }

    /// The sleep comes now: a pause under way ends before this returns, and waits neither for listeners nor for background
    /// tasks. A pause for the sleep that waits for its turn is given up.
    package func hurryPauseForSleep() { transitions.hurryPause() }

    /// How many pauses were asked for so far, those for a sleep not counted.
    package var pauses: Int { transitions.pauses }
}
