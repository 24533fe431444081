// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Runs transitions, one at a time: asks the state machine which steps are owed, and judges the answers to each.
///
/// It decides, and calls no listener and no observer. Its methods return actions, which the mediator performs in order
/// (`LifecycleMediator+Transitions.swift`); then the mediator asks for `next()` until there is no action left. An action may
/// call code that performs the next trigger before the action has ended, so each method leaves the runner in a consistent
/// state.
final class TransitionRunner {
    /// What the mediator is to do.
    enum Action {
        /// Tell the observers of events.
        case send(LifecycleMediator.Event)
        /// Read the configuration for this transition, then call `hasRead(_:)`.
        case readConfiguration(Transition)
        /// Post the notification of a step and tell the listeners, then call `delivered(_:_:of:)`.
        case deliver(LifecycleNotification.Name, LifecycleStep, Transition)
        /// Wait for the background tasks: call `beginWait()`, and `proceed()` when no task is left.
        case wait(Transition)
        /// Stop waiting for the background tasks.
        case endWait
        /// Let the background tasks expire because of a second stop. If `thenProceed`, then call `proceed()`.
        case expireTasks(thenProceed: Bool)
        /// Call `makeWay(for:overtaking:)` for this stop, and perform what it returns.
        case makeWay(Transition, overtaking: [Transition])
        /// Call `proceed()`, for a pause that does not wait for background tasks any more.
        case proceed
        /// Give the delivery under way no more time.
        case cutShort
        /// Divide the remaining time of this transition again.
        case retime(Transition)
        /// Report that this transition was overtaken.
        case reportOvertaken(Transition)
        /// Report how this transition ended.
        case reportEnd(Transition)
    }

    /// What the current transition is doing.
    private enum Phase {
        /// Its next step begins, unless it has to wait for background tasks first.
        case checkingTasks
        /// Its next step begins.
        case advancing
        /// It waits for background tasks.
        case awaitingTasks
        /// The mediator is performing an action for it, and will report back.
        case acting
    }

    private(set) var machine = LifecycleStateMachine()
    /// The configuration in effect; nil before the first was read.
    var configuration: LifecycleConfiguration?
    /// How many pauses were asked for that cannot be revoked.
    private(set) var pauses = 0
    private var queue = TransitionQueue()
    private var phase = Phase.advancing
    private let backgroundTasks: BackgroundTaskList
    private let clock: any LifecycleClock
    private var deadlines: LifecycleDeadlines

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

    /// Accepts a transition.
    func add(_ transition: Transition) -> [Action] {
        if transition.trigger == .pause, !transition.isRevocable { pauses += 1 }
        switch queue.add(transition) {
        case .queued(let overtaken) where transition.trigger == .stop:
            transition.beganUsec = clock.monotonicUsec
            transition.limitUsec = limit(of: transition)
            return [.send(.stopAccepted(transition.origin)), .makeWay(transition, overtaking: overtaken)]
        case .queued(let overtaken): return overtaken.map { .reportOvertaken($0) }
        case .merged: return [.send(.merged(transition.trigger, transition.origin))]
        case .cutsShort(let stop):
            // A transition before the stop has no time left either.
            for cut in [stop, current].compactMap({ $0 }) { cut.cutShortBy = cut.cutShortBy ?? transition.origin }
            endPreparation(of: stop)
            return [.expireTasks(thenProceed: false), .cutShort]
        }
    }

    /// Reports the overtaken transitions, and leaves the one under way a part of the stop's time. A pause that waits for
    /// background tasks goes on without waiting, as the stop waits for them; if no listener was called yet, it is overtaken.
    func makeWay(for stop: Transition, overtaking overtaken: [Transition]) -> [Action] {
        var actions: [Action] = []
        var overtaken = overtaken
        var isPauseResumed = false
        if phase == .awaitingTasks, let pause = current {
            actions.append(.endWait)
            phase = .acting
            isPauseResumed = !pause.reports.isEmpty
            if !isPauseResumed {
                queue.end()
                overtaken.insert(pause, at: 0)
            }
        }
        actions += overtaken.map { .reportOvertaken($0) }
        if let current, current !== stop { actions += retime(current, to: min(current.limitUsec, limit(before: stop))) }
        return isPauseResumed ? actions + [.proceed] : actions
    }

    /// Revokes a revocable pause, unless a listener was called for it.
    ///
    /// - Returns: nil when it cannot be revoked any more.
    func revoke() -> [Action]? {
        if let transition = queue.removeRevocable() { return [.reportOvertaken(transition)] }
        guard let current, current.isRevocable else { return [] }
        guard phase == .awaitingTasks, current.reports.isEmpty else { return nil }
        current.steps = []
        return endWait()
    }

    /// Sets the deadlines of a pause under way to zero, whoever asked for it.
    func hurryPause() -> [Action] {
        guard let current, current.trigger == .pause else { return [] }
        current.cutShortBy = current.cutShortBy ?? .service
        return phase == .awaitingTasks ? endWait() : [.cutShort]
    }

    private func endWait() -> [Action] {
        phase = .advancing
        return [.endWait]
    }

    // MARK: Progress of the current transition

    /// The next action for the current transition, or for the one whose turn it is.
    func next() -> Action? {
        while let transition = current {
            switch phase {
            case .awaitingTasks, .acting: return nil
            case .checkingTasks: if let action = checkTasks(transition) { return action }
            case .advancing: if let action = advance(transition) { return action }
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
        transition.steps = machine.steps(for: transition.trigger)
        if transition.isDryRun { transition.steps.removeAll { $0.name != .willReload } }
        phase = transition.steps.isEmpty ? .advancing : transition.isPreparing ? .acting : .checkingTasks
        let reads = transition.trigger == .reload || (transition.trigger == .launch && configuration == nil)
        guard reads, !transition.steps.isEmpty else { return next() }
        phase = .acting
        return .readConfiguration(transition)
    }

    /// The configuration was read for a transition, or could not be read.
    func hasRead(_ transition: Transition) {
        phase = .checkingTasks
        guard transition.trigger == .launch else { return }
        configuration = transition.configuration
        // The notifications of a launch carry none.
        transition.configuration = nil
        if !transition.reasons.isEmpty { transition.steps = [] }
    }

    /// The preparation of a stop is done, or its time is up.
    func endPreparation(of stop: Transition) {
        if stop.isPreparing, stop === current { phase = .checkingTasks }
        stop.isPreparing = false
    }

    /// A pause and a stop wait for background tasks before their first step, and after each step for the tasks that were
    /// begun in it.
    private func checkTasks(_ transition: Transition) -> Action? {
        phase = .advancing
        guard transition.trigger == .pause || transition.trigger == .stop, !backgroundTasks.isEmpty else { return nil }
        // A stop that comes next waits for them itself.
        if let stop, stop !== transition { return nil }
        if transition.cutShortBy == nil {
            phase = .acting
            return .wait(transition)
        }
        // The machine's sleep does not wait for tasks, and does not end them.
        guard transition.trigger == .stop else { return nil }
        phase = .acting
        return .expireTasks(thenProceed: true)
    }

    /// The current transition waits for the background tasks.
    func beginWait() { phase = .awaitingTasks }
    /// The current transition waits no longer.
    func proceed() { phase = .advancing }

    private func advance(_ transition: Transition) -> Action? {
        guard !transition.steps.isEmpty else {
            queue.end()
            return .reportEnd(transition)
        }
        let step = transition.steps.removeFirst()
        if step.isArrival { machine.apply(step) }
        guard let name = step.name else { return nil }
        phase = .acting
        return .deliver(name, step, transition)
    }

    /// The listeners of a step are done or out of time.
    func delivered(_ step: LifecycleStep, _ report: LifecycleReport, of transition: Transition) {
        transition.reports.append(report)
        if !step.isArrival { machine.apply(step) }
        judge(step, report, transition)
        phase = .checkingTasks
    }

    private func judge(_ step: LifecycleStep, _ report: LifecycleReport, _ transition: Transition) {
        switch step.name {
        case .willFinishLaunching where !report.refusals.isEmpty, .didFinishLaunching where !report.refusals.isEmpty:
            transition.reasons = report.refusals
            transition.steps = machine.steps(for: .refuseLaunch)
        case .willFinishLaunching where stop != nil && report.hasOverrun,
            .didFinishLaunching where stop != nil && report.hasOverrun:
            transition.isGivenUp = true
            transition.steps = []
        case .willReload:
            transition.reasons += report.problems
            if !transition.reasons.isEmpty, !transition.isDryRun { keepOldConfiguration(transition) }
        case .didReload:
            transition.reasons = report.problems
            if transition.reasons.isEmpty {
                configuration = transition.configuration ?? configuration
            } else {
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

    // MARK: Time

    /// The time that is left to a transition.
    func remaining(_ transition: Transition) -> Duration {
        Duration(from: clock.monotonicUsec, to: transition.limitUsec)
    }

    /// Applies new deadlines. The transition under way has its new time from its beginning on, unless it was extended.
    func apply(_ deadlines: LifecycleDeadlines) -> [Action] {
        self.deadlines = deadlines
        if let stop, stop !== current, !stop.isExtended { stop.limitUsec = limit(of: stop) }
        guard let current, !current.isExtended else { return [] }
        return retime(current, to: limit(of: current))
    }

    private func retime(_ transition: Transition, to limit: UInt64) -> [Action] {
        guard limit != transition.limitUsec else { return [] }
        transition.limitUsec = limit
        return [.retime(transition)]
    }

    private func limit(of transition: Transition) -> UInt64 {
        let own = deadlines.limit(of: transition.trigger).end(from: transition.beganUsec)
        guard let stop, stop !== transition else { return own }
        return min(own, limit(before: stop))
    }

    /// When a transition is to be done that a stop finds under way.
    private func limit(before stop: Transition) -> UInt64 { deadlines.beforeStop.end(from: stop.beganUsec) }

    /// Records progress. It may move the limits of the transition and of a stop that waits behind it.
    func record(
        _ progress: ProgressReport, of name: String, _ sequence: UInt64?, in transition: Transition
    ) -> LifecycleProgress {
        if let moved = progress.moved {
            let last = Duration.longest.end(from: clock.monotonicUsec)
            transition.extend(to: min(moved.reserve.end(from: moved.endUsec), last))
            if let stop, stop !== transition {
                stop.extend(to: (deadlines.stop - deadlines.beforeStop).end(from: transition.limitUsec))
            }
        }
        let last = stop ?? transition
        return LifecycleProgress(
            progress, of: name, sequence, for: last.trigger, window: min(progress.window, remaining(transition)),
            remaining: remaining(last), isExtended: transition.isExtended || last.isExtended)
    }
}
