// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Runs transitions, one at a time: asks the state machine which steps are owed, and judges the answers to each.
///
/// It decides, and calls nobody. Each method takes what has happened and returns the actions that follow from it;
/// `next()` returns what is due after them, until there is no action left. The mediator performs the actions one after
/// the other, never one within another (`LifecycleMediator+Transitions.swift`).
final class TransitionRunner {
    /// What the mediator is to do.
    enum Action {
        /// Call the observers of events.
        case send(LifecycleMediator.Event)
        /// Read the configuration for this transition, then call `hasRead(_:)`.
        case readConfiguration(Transition)
        /// Post the notification of a step and call the listeners; `delivered(_:_:of:)` when they are done.
        case deliver(LifecycleNotification.Name, LifecycleStep, Transition)
        /// Wait for the background tasks; `tasksEnded()` when no task is left, or when their time is up.
        case wait(Transition)
        /// Stop waiting for the background tasks.
        case endWait
        /// Begin what the stop waits for; `prepared(_:for:)` when it is done.
        case prepare(StopPreparation, Transition)
        /// Let the background tasks expire because of a second stop.
        case expireTasks
        /// Give the delivery under way no more time.
        case cutShort
        /// Divide the remaining time of the transition under way again.
        case retime
        /// Report that this transition was overtaken.
        case reportOvertaken(Transition)
        /// Report how this transition ended.
        case reportEnd(Transition)
    }

    /// What the current transition is doing.
    private enum Phase {
        /// Its beginning was reported; the configuration is read if it needs one.
        case begun
        /// Its next step is due, after the background tasks if the step has to wait for them.
        case due
        /// Its next step is due, whatever tasks there are.
        case dueNow
        /// It waits for background tasks.
        case awaitingTasks
        /// A stop waits for the end of this.
        case preparing(StopPreparation, sinceUsec: UInt64)
        /// The mediator reads the configuration, or the listeners of a step are called.
        case working
    }

    @exclusivity(unchecked)  // nothing calls out while it is used
    var machine = LifecycleStateMachine()
    /// The configuration in effect; nil before the first was read.
    var configuration: LifecycleConfiguration?
    /// How many pauses were asked for, not counting those for a sleep of the machine.
    private(set) var pauses = 0
    private var queue = TransitionQueue()
    private var phase = Phase.due
    private let backgroundTasks: BackgroundTaskList
    let clock: any LifecycleClock
    var deadlines: LifecycleDeadlines

    init(
        configuration: LifecycleConfiguration?, deadlines: LifecycleDeadlines, backgroundTasks: BackgroundTaskList,
        clock: any LifecycleClock
    ) {
        self.configuration = configuration
        self.deadlines = deadlines
        self.backgroundTasks = backgroundTasks
        self.clock = clock
    }

    var current: Transition? { queue.current }
    /// The transition under way, and those that wait, in the order in which they run.
    var pending: [Transition] { (queue.current.map { [$0] } ?? []) + queue.waiting }
    /// The stop that is under way or waits.
    var stop: Transition? { queue.stop }
    /// Whether the current transition waits for background tasks.
    var isAwaitingTasks: Bool { if case .awaitingTasks = phase { current != nil } else { false } }
    /// What the stop under way waits for.
    var preparation: StopPreparation? { if case .preparing(let preparation, _) = phase { preparation } else { nil } }

    // MARK: Requests

    /// Accepts a transition.
    func add(_ transition: Transition) -> [Action] {
        if transition.trigger == .pause, !transition.isForSleep { pauses += 1 }
        switch queue.add(transition) {
        case .queued(let overtaken) where transition.trigger == .stop:
            transition.beganUsec = clock.monotonicUsec
            transition.limitUsec = limit(of: transition)
            return [.send(.stopAccepted(transition.origin))] + makeWay(for: transition, overtaking: overtaken)
        case .queued(let overtaken): return overtaken.map { .reportOvertaken($0) }
        case .merged: return [.send(.merged(transition.trigger, transition.origin))]
        case .cutsShort(let stop):
            // A transition before the stop has no time left either.
            for cut in [stop, current].compactMap({ $0 }) { cut.cutShortBy = cut.cutShortBy ?? transition.origin }
            stop.preparations = []
            if let preparation { prepared(preparation, for: stop) }
            return [.expireTasks, .cutShort]
        }
    }

    /// Overtakes the transitions that wait for their turn, and a pause that waits for background tasks, since the stop
    /// waits for them itself. A launch under way is cut short. Any other transition keeps a part of the stop's time.
    private func makeWay(for stop: Transition, overtaking overtaken: [Transition]) -> [Action] {
        guard let current, current !== stop else { return overtaken.map { .reportOvertaken($0) } }
        if isAwaitingTasks {
            queue.end()
            return [.endWait] + ([current] + overtaken).map { .reportOvertaken($0) }
        }
        current.limitUsec = min(current.limitUsec, limit(before: stop))
        let isLaunch = current.trigger == .launch
        if isLaunch { current.cutShortBy = stop.origin }
        return overtaken.map { .reportOvertaken($0) } + [isLaunch ? .cutShort : .retime]
    }

    /// Removes a request whose transition waits for its turn, and the transition if nobody else has asked for it.
    func withdraw(_ request: TransitionRequest) {
        if queue.withdraw(request)?.trigger == .pause { pauses -= 1 }
    }

    /// Sets the deadlines of a pause under way to zero, whoever asked for it, and those of a pause for a sleep that
    /// waits for its turn.
    func hurryPause() -> [Action] {
        for pause in queue.waiting where pause.isForSleep { pause.cutShortBy = .service }
        guard let current, current.trigger == .pause else { return [] }
        current.cutShortBy = current.cutShortBy ?? .service
        guard isAwaitingTasks else { return [.cutShort] }
        phase = .dueNow
        return [.endWait]
    }

    // MARK: Progress of the current transition

    /// The next action for the current transition, or for the one whose turn it is.
    func next() -> Action? {
        while let transition = current {
            switch phase {
            case .awaitingTasks, .preparing, .working: return nil
            case .begun: if let action = prepare(transition, .beginning) ?? read(for: transition) { return action }
            case .due: if let action = checkTasks(transition) { return action }
            case .dueNow: if let action = advance(transition) { return action }
            }
        }
        return begin()
    }

    private func begin() -> Action? {
        guard let transition = queue.begin() else { return nil }
        if transition.trigger != .stop {
            transition.beganUsec = clock.monotonicUsec
            transition.limitUsec = limit(of: transition)
        }
        transition.steps = machine.steps(
            for: transition.trigger, isPaused: LaunchOptions.isPaused(in: transition.userInfo))
        if transition.kind == .dryRun { transition.steps.removeAll { $0.name != .willReload } }
        if transition.isForSleep, machine.state == .background { transition.steps = [] }
        phase = transition.steps.isEmpty ? .dueNow : .begun
        return transition.steps.isEmpty ? next() : .send(.began(PendingTransition(transition, isUnderWay: true)))
    }

    private func read(for transition: Transition) -> Action? {
        phase = .due
        guard transition.trigger == .reload || (transition.trigger == .launch && configuration == nil) else {
            return nil
        }
        phase = .working
        return .readConfiguration(transition)
    }

    /// The configuration was read for a transition, or could not be read.
    func hasRead(_ transition: Transition) {
        phase = .due
        guard transition.trigger == .launch else { return }
        configuration = transition.configuration
        // The notifications of a launch carry none.
        transition.configuration = nil
        if !transition.reasons.isEmpty { transition.steps = [] }
    }

    /// A pause and a stop first announce themselves by `willResignActive`. Before every other step, and at their end,
    /// they wait for the background tasks.
    private func checkTasks(_ transition: Transition) -> Action? {
        phase = .dueNow
        let waits = transition.trigger == .pause || transition.trigger == .stop
        guard waits, transition.steps.first?.name != .willResignActive, !backgroundTasks.isEmpty else { return nil }
        // A stop that comes next waits for them itself. Before a sleep there is only so much time for them.
        if let stop, stop !== transition { return nil }
        if waitLeft(of: transition, from: clock.monotonicUsec) == .zero { return nil }
        if transition.cutShortBy == nil {
            phase = .awaitingTasks
            return .wait(transition)
        }
        // The machine's sleep does not wait for tasks, and does not end them.
        return transition.trigger == .stop ? .expireTasks : nil
    }

    /// No background task is left, or the time to wait for them is up.
    func tasksEnded() { if isAwaitingTasks { phase = .dueNow } }

    private func prepare(_ stop: Transition, _ moment: StopPreparation.Moment) -> Action? {
        guard let first = stop.preparations.first, first.moment == moment else { return nil }
        phase = .preparing(stop.preparations.removeFirst(), sinceUsec: clock.monotonicUsec)
        return .prepare(first, stop)
    }

    /// What a stop waited for is done, or its time is up.
    func prepared(_ preparation: StopPreparation, for stop: Transition) {
        guard case .preparing(let current, let sinceUsec) = phase, current === preparation else { return }
        preparation.end()
        phase = preparation.moment == .beginning ? .begun : .dueNow
        guard preparation.moment == .beginning else { return }
        stop.beganUsec += clock.monotonicUsec - sinceUsec
        stop.limitUsec = limit(of: stop)
    }

    private func advance(_ transition: Transition) -> Action? {
        guard let step = transition.steps.first else {
            queue.end()
            return .reportEnd(transition)
        }
        if step.name == .willTerminate, let action = prepare(transition, .termination) { return action }
        transition.steps.removeFirst()
        if step.isArrival { machine.apply(step) }
        guard let name = step.name else { return nil }
        phase = .working
        return .deliver(name, step, transition)
    }

    /// The listeners of a step are done or out of time.
    func delivered(_ step: LifecycleStep, _ report: LifecycleReport, of transition: Transition) {
        transition.reports.append(report)
        if !step.isArrival { machine.apply(step) }
        if step.name == .didEnterBackground {
            machine.hasFailedPause = !report.problems.isEmpty || transition.trigger == .launch && machine.hasFailedPause
        }
        judge(step, report, transition)
        phase = .due
    }

    private func judge(_ step: LifecycleStep, _ report: LifecycleReport, _ transition: Transition) {
        switch step.name {
        case .willFinishLaunching, .didFinishLaunching:
            // A stop has taken the time of the launch: that is no fault of the listener, nor of those that need it.
            if stop != nil, report.hasOverrun {
                transition.result = .overtaken
                transition.steps = []
            } else if !report.launchProblems.isEmpty {
                transition.reasons = report.launchProblems
                transition.steps = machine.steps(for: .refuseLaunch)
            }
        case .willReload:
            transition.reasons += report.problems
            if !transition.reasons.isEmpty, transition.kind != .dryRun { keepOldConfiguration(transition) }
        case .didReload:
            if report.problems.isEmpty {
                configuration = transition.configuration ?? configuration
            } else {
                transition.result = .failed(report.problems)
                keepOldConfiguration(transition)
            }
        default: break
        }
    }

    /// Drops the new configuration: every listener is called with the old one.
    private func keepOldConfiguration(_ transition: Transition) {
        transition.configuration = configuration ?? LifecycleConfiguration()
        transition.steps = [LifecycleStep(.didFailToReload, machine.state, machine.state)]
    }
}
