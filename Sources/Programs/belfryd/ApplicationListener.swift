// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry
internal import BelfryConfiguration
internal import BelfryEventLoop
internal import BelfryLinux
internal import BelfryListeners
internal import BelfrySources
internal import BelfrySystemd
internal import Lifecycle

/// What this service says of its application: the state of its unit, and whether its commands can run.
/// `belfry-listener` runs the commands; without it each of them fails here, so that nobody is told that the application
/// was paused.
final class ApplicationListener: LifecycleListener {
    let name = "application"
    /// Without the program the launch goes on, and the failure is reported.
    let isRequired = false

    let settings: ApplicationSettings
    private let loop: MainEventLoop
    unowned let mediator: LifecycleMediator
    let log: ServiceLog
    private let problem: (LifecycleNotification.Name) -> String?
    let bus: SystemBus
    let runs: UnitRunRecord
    private(set) var unit: UnitWatch?
    /// The manager has read its files again: the bond, and `ExecReload=`, may be others.
    private var reloading: BusMatch?
    /// For a run of the unit.
    private var memory: (run: String, group: String, watch: ApplicationMemory)?
    private var events: LifecycleObservation?
    private var stops: LifecycleObservation?
    /// Whether `Resume=` may undo a stop that was called off: once until the next resume, since it may fail again and
    /// again, and at the end of this process unless the stop found the service paused. It holds over all phases.
    private(set) var mayUndoStop = true
    /// The run that the last process knew and whose stop it had not seen, until this process is there for one.
    private var unstoppedRun: String?
    /// Looks at what has changed when that is done: a program that attaches can be told of something only after its
    /// reply.
    private var work: DeferredEventSource?
    private var phase = Phase.waiting
    private var launch = Launch.underWay

    /// What is done about the run of the unit, one thing at a time.
    private enum Phase {
        /// The unit does not run, or nobody can be told.
        case waiting
        /// The program is being told of the run.
        case starting
        /// A stop that was called off is being undone.
        case undoingStop
        /// The pause of the run before is being ended.
        case resuming
        /// The program knows the run.
        case running

        var isUnderWay: Bool { self != .waiting && self != .running }
    }

    /// The launch of this service. The unit comes and goes meanwhile, so each case meets each phase.
    private enum Launch {
        case underWay
        /// It waits for the program; until the limit also for it to attach, and for the bus.
        case waiting(done: (AnswerEnd) -> Void, limit: TimerEventSource?)
        case over
    }

    /// How long a launch waits for the program to attach, and for the bus, which is not needed.
    private static let longestWait: Duration = .seconds(10)

    init(_ settings: ApplicationSettings, _ context: ComponentContext, log: ServiceLog) throws(SystemError) {
        self.settings = settings
        self.log = log
        loop = context.loop
        mediator = context.mediator
        bus = context.unitBus
        problem = context.problem
        let directory = context.isLocked ? context.paths.runtimeDirectory : nil
        runs = UnitRunRecord(of: settings.unit, in: directory) { Self.report($0, in: log) }
        unstoppedRun = runs.last.flatMap { $0.marks.contains(.stopped) ? nil : $0.id }
        work = try loop.deferred { [unowned self] in update() }
        unit = UnitWatch(settings.unit, on: context.unitBus) { [weak self] in self?.work?.schedule() }
        reloading = context.unitBus.match(ServiceManagerUnit.reloading) { [weak self] _ in self?.unit?.read() }
        events = mediator.addEventObserver(
            for: .listenersChanged, .healthChanged, .began, .delivered, .transitionEnded
        ) { [weak self] in self?.receive($0) }
        stops = mediator.addObserver(forName: .willTerminate) { [weak self] in self?.stopBegins($0) }
        context.unitBus.connect()
    }

    private func receive(_ event: LifecycleMediator.Event) {
        switch event {
        case .delivered(let report):
            guard isUndone(report) else { return }
            change { $0.marks.remove(.stopped) }
        case .began(let transition) where transition.trigger == .stop:
            mayUndoStop = ![.background, .suspended].contains(mediator.state)
        case .transitionEnded(let report) where report.trigger == .launch: launched()
        case .transitionEnded(let report) where report.trigger == .resume: mayUndoStop = true
        default: break
        }
        work?.schedule()
    }

    var answers: [LifecycleAnswer] {
        onOutcome(.didFinishLaunching, deadline: settings.listener.timeout + Self.longestWait) { [self] _, _, done in
            let limit = try? loop.timer(after: Self.longestWait) { [weak self] in self?.update() }
            launch = .waiting(done: done, limit: limit)
            update()
            return { if !self.hasLaunched { self.launch = .underWay } }
        }
        let own: [LifecycleNotification.Name] = [
            .didFinishLaunching, .willReload, .willEnterForeground, .willTerminate,
        ]
        for name in settings.commands.map(\.notification) where !own.contains(name) {
            on(name) { [self] in try check($0) }
        }
        on(.willReload) { [self] in
            try check($0)
            guard settings.command(at: .didReload) != nil else {
                throw LifecycleRefusal("Reload= is not set, \(settings.unit) keeps its configuration")
            }
            if !isAttached { throw LifecycleRefusal("\(absence), Reload= does not run") }
        }
        if settings.command(at: .willTerminate) != nil {
            // After the program: listeners are called in reverse order.
            let time = settings.listener.timeout + ServiceManagerUnit.longestAnswer
            onOutcome(.willTerminate, deadline: time) { [self] in
                endStop($0, $2)
                return {}
            }
        }
        // Also without Resume=: the end of a pause ends its failure.
        on(.willEnterForeground) { [self] in try check($0) }
        if settings.command(at: .didEnterBackground) == nil {
            on(.didEnterBackground) { [self] in
                guard $0.trigger == .pause, !mediator.isPausingForSleep else { return }
                throw NotRun(description: "Pause= is not set, \(settings.unit) runs on")
            }
        }
    }

    var activity: String? {
        let limit = settings.listener.health == nil ? ", without Health=" : ""
        return unit?.state.map { "\(settings.unit) is \($0.text)\(limit)" }
    }

    var health: ListenerHealth {
        // The bus comes during the launch.
        let doubts = (hasLaunched ? settings.commands : []).compactMap { command in
            let isMemory = command.notification == .didReceiveMemoryWarning
            let reason = ignorance(of: command) ?? (isMemory ? memoryProblem : problem(command.notification))
            return reason.map { "\(command.key)= may not run: \($0)" }
        }
        let reasons = (unitHealth.reason.map { [$0] } ?? []) + doubts
        return reasons.isEmpty ? .healthy : .degraded(reasons.joined(separator: "; "))
    }

    private var unitHealth: ListenerHealth {
        guard let unit = unit?.state else {
            return hasLaunched ? .degraded("systemd cannot be asked about \(settings.unit)") : .healthy
        }
        if !unit.isActive {
            let result = unit.result == "success" || unit.result.isEmpty ? "" : ", \(unit.result)"
            return .degraded("\(settings.unit) is \(unit.activeState)\(result)")
        }
        if !unit.boundBy.contains("belfryd@\(settings.name).service") {
            let check = "see 'belfryctl check \(settings.name)'"
            return .degraded("it is not bound to \(settings.unit) any more, Stop= does not run: \(check)")
        }
        if hasLaunched, !isAttached { return .degraded(absence) }
        if hasLaunched, isStopLeft { return .degraded(stopRemains) }
        return settings.reloadBypass(in: unit.reload).map { .degraded($0) } ?? .healthy
    }

    private var hasLaunched: Bool { if case .over = launch { true } else { false } }

    var isAttached: Bool { mediator.hasListener(named: settings.name) }

    private var program: String { "belfry-listener@\(settings.name).service" }

    private var absence: String { "\(program) is not attached" }

    /// Why the program does not know a command, unless there is none.
    private func ignorance(of command: ApplicationCommand) -> String? {
        // The end of a pause concerns each program with `Pause=`.
        let name = command.verb == .resume ? ApplicationVerb.unitDidNotStop : command.notification
        guard mediator.interests(ofListenerNamed: settings.name)?.contains(name) == false else { return nil }
        return "\(program) has read another file, run 'belfryctl enable \(settings.name)'"
    }

    /// The command of a notification cannot run without its program.
    func check(_ notification: LifecycleNotification) throws {
        guard let command = settings.command(for: notification) else { return }
        guard let problem = isAttached ? ignorance(of: command) : absence else { return }
        let reason = "\(problem), \(command.key)= does not run"
        if notification.name == .willReload { throw LifecycleRefusal(reason) }
        throw NotRun(description: reason)
    }

    /// A command that does not run.
    private nonisolated struct NotRun: Error, CustomStringConvertible {
        let description: String
    }

    private func update() {
        let state = unit?.state
        follow(state)
        if let state { watchMemory(of: state) } else { memory = nil }
        endLaunch(state)
        tell(mediator.checkHealth())
    }

    /// Posts a change of the health. That it is not known is none.
    private func tell(_ problems: [ListenerHealthReport]) {
        guard phase == .running, hasLaunched, !mediator.isStopping, let run = runs.last else { return }
        let isDegraded = problems.contains { !$0.health.isUnknown }
        guard isDegraded || problems.isEmpty, isDegraded != run.marks.contains(.degraded) else { return }
        change { if isDegraded { $0.marks.insert(.degraded) } else { $0.marks.remove(.degraded) } }
        let reasons = problems.map { "\($0.listener) is \($0.health.kind): \($0.health.reason ?? "")" }
        mediator.post(
            isDegraded ? ApplicationVerb.unitDidDegrade : ApplicationVerb.unitDidRecover,
            userInfo: ["unit": .string(settings.unit), "reason": .string(reasons.joined(separator: "; "))])
    }

    /// Begins what is to be done for the run of the unit. What is under way ends first.
    private func follow(_ state: UnitWatch.State?) {
        guard !phase.isUnderWay else { return }
        guard let state, state.isActive, isAttached, !state.invocationID.isEmpty else { return phase = .waiting }
        phase = .running
        if state.invocationID != runs.last?.id { start(state.invocationID) } else { settle() }
        unstoppedRun = nil
    }

    /// Ends what is left of the run before, or of a stop that was called off. What was paused stays so.
    private func settle() {
        guard hasLaunched else { return }
        if isStopLeft, mayUndoStop, mediator.state != .background {
            (phase, mayUndoStop) = (.undoingStop, false)
            undoStop { [weak self] in
                self?.phase = .running
                self?.update()
            }
        } else {
            endPause()
        }
    }

    /// A pause that was asked for during the launch is one of the present run: that of the run before ends first.
    private func launched() {
        launch = .over
        if phase == .running { settle() }
    }

    /// The launch waits for the program, and for its command for the run of the unit.
    private func endLaunch(_ state: UnitWatch.State?) {
        guard case .waiting(let done, let limit) = launch, !phase.isUnderWay else { return }
        let isOver = limit?.isEnabled == false
        guard isOver || isAttached && state != nil else { return }
        launch = .underWay
        done(AnswerEnd(isAttached ? .completed : .failed(absence)))
    }

    /// Tells the program of a new run of the unit, once.
    private func start(_ run: String) {
        phase = .starting
        var info: UserInfo = ["unit": .string(settings.unit), "invocationId": .string(run)]
        if let unstoppedRun, settings.command(at: .willTerminate) != nil {
            let text: RecordText = "Stop= did not run at the end of the run \(unstoppedRun) of \(settings.unit)"
            log.write(.warning, text, .application)
            info["stopMissed"] = true
        }
        // Before the program is told: whatever ends this process, nothing runs twice for one run of the unit.
        keep(UnitRun(id: run, marks: (runs.last?.marks ?? []).intersection([.degraded]).union([.paused])))
        mediator.post(ApplicationVerb.unitDidStart, userInfo: info) { [weak self, pauses = mediator.pauses] _ in
            self?.started(pausesBefore: pauses)
        }
    }

    /// A pause that was asked for meanwhile is one of the new run. In a launch it waits until that of the run before
    /// has ended.
    private func started(pausesBefore: Int) {
        if hasLaunched, pausesBefore != mediator.pauses { change { $0.marks.remove(.paused) } }
        phase = .running
        update()
    }

    /// Ends a pause of the run before, perhaps of the last process. It has no effect unless the service is paused.
    private func endPause() {
        guard runs.last?.marks.contains(.paused) == true, hasLaunched else { return }
        phase = .resuming
        mediator.resumeNext(because: "\(settings.unit) has started again") { [weak self] report in
            self?.phase = .running
            if report.result != .overtaken { self?.change { $0.marks.remove(.paused) } }
        }
    }

    /// Changes what is kept of the present run.
    func change(_ change: (inout UnitRun) -> Void) {
        guard var run = runs.last else { return }
        change(&run)
        if run != runs.last { keep(run) }
    }

    private func keep(_ run: UnitRun) { if let problem = runs.write(run) { Self.report(problem, in: log) } }

    private static func report(_ problem: SystemError, in log: ServiceLog) {
        log.write(.warning, "\(problem), Start= and Resume= may run again", .savedState)
    }

    private var memoryProblem: String? {
        unit?.state?.isWithoutProcesses == true
            ? "\(settings.unit) has no processes" : memory?.watch.problem?.description
    }

    private func watchMemory(of state: UnitWatch.State) {
        guard settings.command(at: .didReceiveMemoryWarning) != nil, state.isActive, !state.isWithoutProcesses
        else { return memory = nil }
        let (run, group) = (state.invocationID, state.controlGroup)
        guard memory?.run != run || memory?.group != group else { return }
        let watch = ApplicationMemory(of: group, on: loop) { [mediator] in mediator.warnOfMemory($0) }
        watch.onProblem = { [mediator] in mediator.checkHealth() }
        memory = (run, group, watch)
    }
}
