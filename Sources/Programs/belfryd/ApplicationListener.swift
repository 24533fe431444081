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

    private let settings: ApplicationSettings
    private let loop: MainEventLoop
    private unowned let mediator: LifecycleMediator
    private let log: ServiceLog
    private let runs: UnitRunRecord
    private var unit: UnitWatch?
    /// For a run of the unit.
    private var memory: (run: String, group: String, watch: MemoryWatch)?
    private var events: LifecycleObservation?
    /// Looks at what has changed when that is done: a program that attaches can be told of something only after its
    /// reply.
    private var work: DeferredEventSource?
    private var phase = Phase.waiting
    private var launch = Launch.underWay

    /// What is done about the run of the unit.
    private enum Phase: Equatable {
        /// The unit does not run, or nobody can be told.
        case waiting
        /// The program is being told of a run, before which so many pauses had been asked for.
        case starting(pauses: Int)
        /// The pause of the run before is being ended.
        case endingPause
        /// The program knows the run.
        case running
    }

    /// The launch of this service.
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
        runs = UnitRunRecord(in: context.paths.runtimeDirectory)
        work = try loop.deferred { [unowned self] in update() }
        unit = UnitWatch(settings.unit, on: context.unitBus) { [weak self] in self?.work?.schedule() }
        events = mediator.addEventObserver(for: .listenersChanged, .transitionEnded) { [weak self] event in
            if case .transitionEnded(let report) = event, report.trigger == .launch { self?.launched() }
            self?.work?.schedule()
        }
        context.unitBus.connect()
    }

    var answers: [LifecycleAnswer] {
        onOutcome(.didFinishLaunching, deadline: settings.listener.timeout + Self.longestWait) { [self] _, _, done in
            let limit = try? loop.timer(after: Self.longestWait) { [weak self] in self?.update() }
            launch = .waiting(done: done, limit: limit)
            update()
            return { if !self.hasLaunched { self.launch = .underWay } }
        }
        let own: [LifecycleNotification.Name] = [.didFinishLaunching, .willReload, .willEnterForeground]
        for name in settings.commands.map(\.notification) where !own.contains(name) {
            on(name) { [self] in try check($0) }
        }
        on(.willReload) { [self] in
            try check($0)
            guard settings.command(at: .didReload) != nil else {
                throw LifecycleRefusal("Reload= is not set, \(settings.unit) keeps its configuration")
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
        unit?.state.map { "\(settings.unit) is \($0.text)" }
    }

    var health: ListenerHealth {
        guard let unit = unit?.state else {
            return hasLaunched ? .degraded("systemd cannot be asked about \(settings.unit)") : .healthy
        }
        if !unit.isActive {
            let result = unit.result == "success" || unit.result.isEmpty ? "" : ", \(unit.result)"
            return .degraded("\(settings.unit) is \(unit.activeState)\(result)")
        }
        return hasLaunched && !isAttached ? .degraded(absence) : .healthy
    }

    private var hasLaunched: Bool { if case .over = launch { true } else { false } }

    private var isAttached: Bool { mediator.hasListener(named: settings.name) }

    private var absence: String { "belfry-listener@\(settings.name).service is not attached" }

    /// The command of a notification cannot run without its program, which decides otherwise whether it does.
    private func check(_ notification: LifecycleNotification) throws {
        guard !isAttached else { return }
        var unitJob: String?
        if case .string(let text) = notification.userInfo["unitJob"] { unitJob = text }
        let command = settings.listener.commands.command(
            at: notification.name.rawValue, trigger: notification.trigger?.rawValue, unitJob: unitJob)
        guard let key = command?.key else { return }
        let reason = "\(absence), \(key)= does not run"
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
        mediator.checkHealth()
    }

    /// Begins what is to be done for the run of the unit. What is under way ends first.
    private func follow(_ state: UnitWatch.State?) {
        guard !isTelling else { return }
        guard let state, state.isActive, isAttached, !state.invocationID.isEmpty else { return phase = .waiting }
        phase = .running
        if state.invocationID != runs.last { start(state.invocationID) } else { endPause() }
    }

    private var isTelling: Bool { phase != .waiting && phase != .running }

    /// A pause that was asked for during the launch is one of the present run: that of the run before ends first.
    private func launched() {
        launch = .over
        if !isTelling { endPause() }
    }

    /// The launch waits for the program, and for its command for the run of the unit.
    private func endLaunch(_ state: UnitWatch.State?) {
        guard case .waiting(let done, let limit) = launch, !isTelling else { return }
        let isOver = limit?.isEnabled == false
        guard isOver || isAttached && state != nil else { return }
        launch = .underWay
        done(AnswerEnd(isAttached ? .completed : .failed(absence)))
    }

    /// Tells the program of a new run of the unit, once.
    private func start(_ run: String) {
        phase = .starting(pauses: mediator.pauses)
        // Before the program is told: whatever ends this process, nothing runs twice for one run of the unit.
        keep(run, endsPause: runs.last != nil)
        let info: UserInfo = ["unit": .string(settings.unit), "invocationId": .string(run)]
        mediator.post(ApplicationVerb.unitDidStart, userInfo: info) { [weak self] _ in self?.started(run) }
    }

    /// A pause that was asked for meanwhile is one of the new run. In a launch it waits until that of the run before
    /// has ended.
    private func started(_ run: String) {
        if hasLaunched, case .starting(let pauses) = phase, pauses != mediator.pauses { keep(run, endsPause: false) }
        phase = .running
        update()
    }

    /// Ends a pause of the run before, perhaps of the last process. It has no effect unless the service is paused.
    private func endPause() {
        guard let run = runs.last, runs.endsPause, hasLaunched else { return }
        phase = .endingPause
        mediator.resumeNext(because: "\(settings.unit) has started again") { [weak self] report in
            self?.phase = .running
            if report.result != .overtaken { self?.keep(run, endsPause: false) }
        }
    }

    private func keep(_ run: String, endsPause: Bool) {
        guard let problem = runs.write(run, endsPause: endsPause) else { return }
        log.write(.warning, "\(problem), Start= and Resume= may run again", .savedState)
    }

    private func watchMemory(of state: UnitWatch.State) {
        guard settings.command(at: .didReceiveMemoryWarning) != nil,
            state.isActive, !state.controlGroup.isEmpty
        else { return memory = nil }
        let (run, group) = (state.invocationID, state.controlGroup)
        guard memory?.run != run || memory?.group != group else { return }
        memory = nil
        do throws(SystemError) {
            memory = (run, group, try MemoryWatch(of: group, on: loop) { [mediator] in mediator.warnOfMemory($0) })
        } catch {
            log.write(.warning, "\(error), MemoryWarning= does not run", .sourceMissing)
        }
    }
}
