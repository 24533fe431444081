// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Receives everything that happens to the service, and delivers it as notifications.
///
/// Observers are called immediately and have no influence, as with NotificationCenter. Listeners take part: they are
/// called in order, each with a deadline, and their answers count. Use `perform(_:)` for changes of state, which run
/// one at a time, and `post(_:)` for everything else.
///
/// It belongs to the main actor. It opens no file, and uses the clock and the configuration that it is given.
@MainActor public final class LifecycleMediator {
    /// How long listeners may take, up to a hundred years. A new value also holds for the transition under way, unless
    /// progress has extended its time.
    public var deadlines: LifecycleDeadlines {
        get { limits }
        set {
            limits = newValue.bounded
            perform(transitions.apply(limits))
        }
    }
    private(set) var limits: LifecycleDeadlines
    /// The clock for all deadlines.
    package let clock: any LifecycleClock
    let sequence: any LifecycleSequence
    let observersOfAll = ObserverList<LifecycleNotification>()
    let eventObservers = EventObserverList()
    /// The listeners that the last health check found unhealthy.
    var unhealthy: [ListenerHealthReport] = []
    let registry = ListenerRegistry()
    let transitions: TransitionRunner
    let backgroundTasks = BackgroundTaskList()
    /// The delivery of the transition under way.
    var delivery: Delivery?
    /// The wait of the transition under way for background tasks.
    var taskWait: BackgroundTaskWait?
    /// Whether the actions of transitions are being performed.
    var isRunning = false
    let readConfiguration: ((_ isDryRun: Bool) throws -> LifecycleConfiguration)?

    /// Makes a mediator for a service that has not launched yet.
    ///
    /// - Parameters:
    ///   - clock: the clock for times and deadlines.
    ///   - configuration: the configuration until the first reload. If nil, `readConfiguration` reads it when the
    ///     launch begins.
    ///   - deadlines: how long listeners may take.
    ///   - readConfiguration: reads the configuration for a reload, and for the launch if there is none yet, which is
    ///     refused when this fails. It throws `LifecycleReloadError` with all problems. Without it, a reload keeps the
    ///     configuration.
    public convenience init(
        clock: any LifecycleClock, configuration: LifecycleConfiguration? = nil,
        deadlines: LifecycleDeadlines = LifecycleDeadlines(),
        readConfiguration: (() throws -> LifecycleConfiguration)? = nil
    ) {
        self.init(
            clock: clock, sequence: TransientSequence(), configuration: configuration, deadlines: deadlines,
            readConfiguration: readConfiguration.map { read in { _ in try read() } })
    }

    /// Makes a mediator whose notifications are numbered by `sequence`, and that says for which reloads only a check
    /// follows.
    package init(
        clock: any LifecycleClock, sequence: any LifecycleSequence, configuration: LifecycleConfiguration?,
        deadlines: LifecycleDeadlines, readConfiguration: ((_ isDryRun: Bool) throws -> LifecycleConfiguration)?
    ) {
        self.clock = clock
        self.sequence = sequence
        self.readConfiguration = readConfiguration
        limits = deadlines.bounded
        transitions = TransitionRunner(
            configuration: configuration, deadlines: limits, backgroundTasks: backgroundTasks, clock: clock)
    }

    /// The state of the service.
    public var state: LifecycleState { transitions.machine.state }

    /// The number of the last notification; 0 before the first.
    public var lastSequence: UInt64 { sequence.last }

    /// The id of the count of notifications, if it is certain.
    package var sequenceID: String? { sequence.id }

    /// The configuration in effect.
    public package(set) var configuration: LifecycleConfiguration {
        get { transitions.configuration ?? LifecycleConfiguration() }
        set { transitions.configuration = newValue }
    }

    // MARK: Observers

    /// Calls `handler` for each notification of this name, or for every notification when it is nil, until the
    /// observation is cancelled or released.
    ///
    /// Observers are called before any listener: first those of all notifications, then those of this name, each in the
    /// order in which they were added. An observer that is added during a post is first called for the next post. An
    /// observer that is removed during a post is not called again.
    public func addObserver(
        forName name: LifecycleNotification.Name? = nil, using handler: @escaping (LifecycleNotification) -> Void
    ) -> LifecycleObservation {
        guard let name else {
            let observer = observersOfAll.add(handler)
            return LifecycleObservation { [observersOfAll] in observersOfAll.remove(observer) }
        }
        let recipients = registry.recipients(of: name)
        let observer = recipients.observers.add(handler)
        return LifecycleObservation { [registry] in
            recipients.observers.remove(observer)
            registry.removeIfEmpty(recipients)
        }
    }

    /// Calls `handler` for each notification of this type whose user info fits the type, as
    /// `addObserver(forName:using:)`.
    public func addObserver<Value: LifecycleEvent>(
        of type: Value.Type, using handler: @escaping (Value) -> Void
    ) -> LifecycleObservation {
        addObserver(forName: Value.name) { notification in
            if let value = Value(userInfo: notification.userInfo) { handler(value) }
        }
    }

    // MARK: Posting

    /// Posts a notification: calls its observers, and begins the answers of its listeners.
    ///
    /// - Parameters:
    ///   - name: any name except those of transitions, which `perform(_:)` delivers.
    ///   - userInfo: additional values.
    ///   - origin: who caused it.
    ///   - completion: called once, when all listeners are done or out of time; before this returns if none suspends.
    /// - Returns: its sequence number; 0 if it is not delivered, because its observers post within their calls what
    ///   leads to the next, 16 deep. Its report says so.
    @discardableResult
    public func post(
        _ name: consuming LifecycleNotification.Name, userInfo: consuming UserInfo = [:],
        origin: consuming LifecycleOrigin = .service, completion: ((LifecycleReport) -> Void)? = nil
    ) -> UInt64 {
        post(name, userInfo, origin, .standard, completion)
    }

    /// Posts a typed notification.
    ///
    /// - Returns: its sequence number.
    @discardableResult
    public func post<Value: LifecycleEvent>(
        _ event: Value, origin: LifecycleOrigin = .service, completion: ((LifecycleReport) -> Void)? = nil
    ) -> UInt64 {
        post(Value.name, event.userInfo, origin, event.journalEntry, completion)
    }

    private func post(
        _ name: consuming LifecycleNotification.Name, _ userInfo: consuming UserInfo,
        _ origin: consuming LifecycleOrigin, _ journalEntry: consuming JournalEntry,
        _ completion: ((LifecycleReport) -> Void)?
    ) -> UInt64 {
        precondition(!name.isTransition, "a name that belongs to a transition cannot be posted")
        let recipients = registry.find(name)
        let state = state
        let isEndless = observersOfAll.hasEndlessCalls || recipients?.observers.hasEndlessCalls == true
        var notification = LifecycleNotification(
            name: name, sequence: isEndless ? 0 : sequence.next(), time: clock.stamp, previousState: state,
            state: state, origin: origin, userInfo: userInfo)
        notification.journalEntry = journalEntry
        if isEndless {
            reportEndless(notification, completion)
            return 0
        }
        announce(notification, to: recipients)
        let number = notification.sequence
        if let recipients = registry.answering(recipients, notification.name) {
            deliver(recipients, notification, completion)
        } else if let completion {
            completion(LifecycleReport(notification: notification, listeners: []))
        }
        return number
    }
}
