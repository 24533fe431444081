// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Runs transitions, one at a time: asks the state machine what is owed, has it delivered, and judges the answers.
final class TransitionConductor {
    @exclusivity(unchecked) private(set) var machine = LifecycleStateMachine()
    /// The configuration that holds.
    var configuration: LifecycleConfiguration { known ?? LifecycleConfiguration() }
    private var known: LifecycleConfiguration?
    /// Reads the configuration anew.
    var readConfiguration: (() throws -> LifecycleConfiguration)?
    /// What a pause and a stop wait for.
    let backgroundTasks = BackgroundTaskList()
    private let clock: any LifecycleClock
    private var deadlines: () -> LifecycleDeadlines = { LifecycleDeadlines() }
    /// Hear of every transition that ran, when it has ended.
    var observers: [(TransitionReport) -> Void] = []
    /// Hear of what gets on while a transition waits for it.
    var progressObservers: [(LifecycleProgress) -> Void] = []
    private var needs: ([LifecycleStep]) -> Duration = { _ in .zero }
    private var wait: BackgroundTaskWait?
    /// Hear of every transition that begins to wait for background tasks, and what these are called.
    var waitObservers: [(LifecycleTrigger, [String]) -> Void] = []
    /// Hear of a stop when it is accepted, whatever it has to wait for.
    var stopObservers: [(LifecycleOrigin) -> Void] = []
    /// Hear of what was merged with a transition that waits, and who asked for it.
    var mergeObservers: [(LifecycleTrigger, LifecycleOrigin) -> Void] = []
    private var queue = TransitionQueue()
    /// How many pauses were asked for that cannot be taken back.
    private(set) var pauses = 0
    private var delivery: Delivery?
    private var deliver: Deliver?

    /// Posts the notification of a step and tells the listeners of it.
    typealias Deliver = (
        _ name: LifecycleNotification.Name, _ step: LifecycleStep, _ transition: Transition,
        _ completion: @escaping (LifecycleReport) -> Void
    ) -> Delivery

    init(configuration: LifecycleConfiguration?, clock: any LifecycleClock) {
        known = configuration
        self.clock = clock
    }

    /// Says who has notifications delivered, how long a transition may take, and how long its steps want to.
    func connect(
        deadlines: @escaping () -> LifecycleDeadlines, needs: @escaping ([LifecycleStep]) -> Duration,
        deliver: @escaping Deliver
    ) {
        self.deadlines = deadlines
        self.needs = needs
        self.deliver = deliver
    }

    /// Accepts a transition, and begins it at once when no other is under way.
    func add(_ transition: Transition) {
        if transition.trigger == .pause, !transition.isRevocable { pauses += 1 }
        switch queue.add(transition) {
        case .queued(let overtaken) where transition.trigger == .stop: begin(transition, overtaking: overtaken)
        case .queued(let overtaken): for transition in overtaken { transition.finish(.overtaken) }
        case .merged: for observer in mergeObservers { observer(transition.trigger, transition.origin) }
        case .cutsShort(let stop):
            // What runs before the stop has no more time either.
            for cut in [stop, queue.current].compactMap({ $0 }) { cut.cutShortBy = cut.cutShortBy ?? transition.origin }
            backgroundTasks.expireAll(.secondStop)
            delivery?.cutShort()
        }
        beginNext()
    }

    /// Takes back what can be, unless somebody was told of it.
    ///
    /// - Returns: whether nothing of the kind is left.
    func revoke() -> Bool {
        if let transition = queue.takeBack() {
            transition.finish(.overtaken)
        } else if let transition = queue.current, transition.isRevocable {
            guard let wait, transition.reports.isEmpty else { return false }
            transition.steps = []
            end(wait, of: transition)
        }
        return true
    }

    /// Leaves a pause that is under way no more time, whoever asked for it, and takes back one that is not.
    func hurryPause() {
        if let pause = queue.current, pause.trigger == .pause {
            pause.cutShortBy = pause.cutShortBy ?? .service
            if let wait { end(wait, of: pause) } else { delivery?.cutShort() }
        }
        _ = revoke()
    }

    /// The time of a stop runs from its acceptance on, and what is under way has a part of it. A pause that waits for
    /// background tasks leaves the wait to the stop; one that has told nobody yet is given up.
    private func begin(_ stop: Transition, overtaking overtaken: [Transition]) {
        stop.beganUsec = clock.monotonicUsec
        stop.limitUsec = limit(of: stop)
        for observer in stopObservers { observer(stop.origin) }
        var overtaken = overtaken
        var waiting: Transition?
        if let wait, let pause = queue.current {
            wait.end()
            self.wait = nil
            if pause.reports.isEmpty {
                queue.end()
                overtaken.insert(pause, at: 0)
            } else {
                waiting = pause
            }
        }
        for transition in overtaken { transition.finish(.overtaken) }
        if let current = queue.current, current !== stop {
            retime(current, to: min(current.limitUsec, limit(before: stop)))
        }
        if let waiting { advance(waiting) }
    }

    /// The time that is left to the transition under way; nil when there is none.
    var remainingTime: Duration? { queue.current.map(remaining) }

    /// The time that is left to a transition.
    func remaining(_ transition: Transition) -> Duration {
        Duration(from: clock.monotonicUsec, to: transition.limitUsec)
    }

    /// The stop that is under way or waits.
    var stop: Transition? { queue.stop }

    private func beginNext() {
        guard let transition = queue.begin() else { return }
        if transition.trigger != .stop {
            transition.beganUsec = clock.monotonicUsec
            transition.limitUsec = limit(of: transition)
        }
        transition.steps = machine.steps(for: transition.trigger)
        guard !transition.steps.isEmpty else { return advance(transition) }
        if transition.trigger == .reload { read(into: transition) }
        if transition.trigger == .launch, known == nil, readConfiguration != nil, !readFirst(for: transition) {
            transition.steps = []
        }
        proceed(transition)
    }

    /// Goes on with a transition. A pause and a stop do so when no background task is under way: before their first step,
    /// and after each of them, for the tasks that were begun in it.
    private func proceed(_ transition: Transition) {
        guard transition.trigger == .pause || transition.trigger == .stop, !backgroundTasks.isEmpty else {
            return advance(transition)
        }
        // A stop that is behind it waits for them itself.
        if let stop, stop !== transition { return advance(transition) }
        guard transition.cutShortBy == nil else {
            // A sleep of the machine waits for no task, and leaves it.
            if transition.trigger == .stop { backgroundTasks.expireAll(.secondStop) }
            return advance(transition)
        }
        let names = backgroundTasks.namesToTell
        for observer in waitObservers where !names.isEmpty { observer(transition.trigger, names) }
        let wait = BackgroundTaskWait(
            for: backgroundTasks, shareOfTasks(in: transition), clock: clock
        ) { [unowned self] in
            note($0, $1, $2, moved: $3, in: transition)
        }
        self.wait = wait
        backgroundTasks.whenEmpty { [unowned self] in end(wait, of: transition) }
    }

    /// Goes on with a transition that waits for background tasks, if it still does.
    private func end(_ wait: BackgroundTaskWait, of transition: Transition) {
        guard self.wait === wait else { return }
        wait.end()
        self.wait = nil
        advance(transition)
    }

    private func limit(of transition: Transition) -> UInt64 {
        let own = deadlines().limit(of: transition.trigger).end(from: transition.beganUsec)
        guard let stop, stop !== transition else { return own }
        return min(own, limit(before: stop))
    }

    /// When a transition is to be done that a stop finds under way.
    private func limit(before stop: Transition) -> UInt64 {
        deadlines().beforeStop.end(from: stop.beganUsec)
    }

    /// The limits are others now: what is under way, and was not given more time, has that from its beginning on.
    func limitsChanged() {
        if let stop, stop !== queue.current, !stop.isExtended { stop.limitUsec = limit(of: stop) }
        if let current = queue.current, !current.isExtended { retime(current, to: limit(of: current)) }
    }

    private func retime(_ current: Transition, to limit: UInt64) {
        guard limit != current.limitUsec else { return }
        current.limitUsec = limit
        wait?.retime(shareOfTasks(in: current))
        delivery?.retime()
    }

    private func shareOfTasks(in transition: Transition) -> TimeShare {
        TimeShare(of: backgroundTasks.longestTime, before: needs(transition.steps), within: remaining(transition))
    }

    /// Whom the transition under way waits for.
    var awaited: [String] {
        wait == nil ? delivery?.awaited ?? [] : backgroundTasks.namesToTell
    }

    /// Somebody gets on with what a transition waits for, and may take more time than there was. A stop that waits
    /// behind it keeps its own part.
    func note(
        _ name: String, _ window: Duration, _ text: String?, moved: (until: UInt64, reserve: Duration)?,
        in transition: Transition
    ) {
        if let moved {
            let last = Duration.longest.end(from: clock.monotonicUsec)
            transition.extend(to: min(moved.reserve.end(from: moved.until), last))
            if let stop, stop !== transition {
                let rest = deadlines().stop - deadlines().beforeStop
                stop.extend(to: rest.end(from: transition.limitUsec))
            }
        }
        let last = stop ?? transition
        let progress = LifecycleProgress(
            trigger: last.trigger, name: name, text: text, window: min(window, remaining(transition)),
            remaining: remaining(last), isExtended: transition.isExtended || last.isExtended)
        for observer in progressObservers { observer(progress) }
    }

    func read(into transition: Transition) {
        do {
            transition.configuration = try readConfiguration?() ?? configuration
        } catch let error as LifecycleReloadError {
            transition.reasons = error.reasons
        } catch {
            transition.reasons = [String(describing: error)]
        }
    }

    /// Reads the configuration that a first reload would go back to.
    private func readFirst(for launch: Transition) -> Bool {
        read(into: launch)
        known = launch.configuration
        // The notifications of a launch carry none.
        launch.configuration = nil
        return launch.reasons.isEmpty
    }

    private func advance(_ transition: Transition) {
        guard !transition.steps.isEmpty else {
            queue.end()
            let report = transition.finish(transition.result)
            for observer in observers { observer(report) }
            return beginNext()
        }
        let step = transition.steps.removeFirst()
        if step.isArrival { machine.take(step) }
        guard let name = step.name, let deliver else { return advance(transition) }
        let delivery = deliver(name, step, transition) { [self] report in
            self.delivery = nil
            transition.reports.append(report)
            if !step.isArrival { machine.take(step) }
            judge(step, report, transition)
            proceed(transition)
        }
        self.delivery = delivery
        if transition.cutShortBy != nil { delivery.cutShort() }
        delivery.advance()
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
            if !transition.reasons.isEmpty { goBack(transition) }
        case .didReload:
            transition.reasons = report.problems
            if transition.reasons.isEmpty {
                known = transition.configuration ?? known
            } else {
                goBack(transition)
            }
        default: break
        }
    }

    /// Nothing of the new configuration stays: every listener is told, and is given the old one.
    private func goBack(_ transition: Transition) {
        transition.configuration = configuration
        transition.steps = [LifecycleStep(.didFailToReload, machine.state, machine.state)]
    }
}
