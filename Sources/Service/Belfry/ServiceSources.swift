// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryEventLoop
internal import CBelfry
internal import Lifecycle
internal import BelfryListeners
internal import BelfrySources
internal import BelfrySystemd
internal import BelfryLinux

/// The sources of notifications. A source that the system or the sandbox does not allow is left out, and the journal
/// says so once.
final class ServiceSources {
    let signals: SignalSource
    let login: LoginSource
    private let missing: MissingParts
    /// The system's bus, for an application of a user, which does not notice its absence by that of its unit.
    private let bus: SystemBus?
    private let suspensions: SuspensionSource
    private let clock: ClockSource
    private let protectedData: ProtectedDataSource
    private var clockWatch: ClockSetWatch?
    private var transitions: LifecycleObservation?
    private var healthCheck: TimerEventSource?
    private var timeZone: TimeZoneSource?
    private var memory: PressureSource?
    private let makeMemory: () throws(SystemError) -> PressureSource

    init(
        loop: MainEventLoop, mediator: LifecycleMediator, log: ServiceLog, missing: MissingParts, bus: SystemBus,
        unit: ServiceManagerUnit?, name: String, application: ApplicationSettings?, ending: ServiceEnding,
        pause: PauseMarker, control: ControlSignal
    ) {
        (self.missing, self.bus) = (missing, application != nil && unit?.isOfUser == true ? bus : nil)
        let group = missing.attemptInUnit(for: .didResume) { () throws(SystemError) in try ControlGroup.own() }
        let suspensions = SuspensionSource(loop: loop, mediator: mediator, group: group)
        let clock = ClockSource(mediator: mediator)
        protectedData = ProtectedDataSource(loop: loop, mediator: mediator)
        (self.suspensions, self.clock) = (suspensions, clock)
        makeMemory = { () throws(SystemError) in
            // That of the application's own unit counts for a service that stands for one.
            let isOwn = application == nil
            let triggers = isOwn ? try PressurePlan.triggers(environment: Environment.variables, group: group) : []
            return try PressureSource(loop: loop, triggers: triggers) { path in
                log.write(.notice, "nothing more is heard of pressure from '\(path)'", .sourceMissing)
            } onPressure: {
                mediator.warnOfMemory($0)
            }
        }
        let login = LoginSource(
            loop: loop, mediator: mediator, bus: bus, who: name, problem: { Self.report($0, in: log) },
            idle: {
                ending.releaseCode()
                mediator.checkHealth()
            })
        let stops = StopReasonSource(
            mediator: mediator, unit: unit, application: application?.unit,
            problem: { log.write(.warning, "\($0)", .application) }, announced: { login.shutdown.kind },
            onStopJob: { pause.end() })
        self.login = login
        self.bus?.addObserver { _ in mediator.checkHealth() }
        self.bus?.connect()
        signals = SignalSource(
            loop: loop, mediator: mediator, stops: stops, reloads: ReloadContinuation(unit: unit),
            stopNow: { ending.stopNow($0) }, control: { control.obey($0) })
        transitions = mediator.addEventObserver(for: .transitionEnded) { [unowned self] in
            // Readiness does not wait for the bus.
            if case .transitionEnded(let report) = $0, report.trigger == .launch, report.result == .completed {
                bus.connect()
                unit?.bus.connect()
                // Work that the launch has begun may read signals of the service. There may be no watchdog.
                healthCheck = missing.attempt { () throws(SystemError) in
                    try loop.timer(after: .seconds(1), accuracy: .seconds(1)) { mediator.checkHealth() }
                }
            }
        }
        watch(mediator, application, on: loop)
        memory = missing.attemptInUnit(for: .didReceiveMemoryWarning, makeMemory)
    }

    /// Watches freezes, the clock and the time zone.
    private func watch(_ mediator: LifecycleMediator, _ application: ApplicationSettings?, on loop: MainEventLoop) {
        missing.attemptInUnit(for: .didResume) { () throws(SystemError) in try suspensions.watchFreezer() }
        clockWatch = missing.attempt(for: TimeChange.name) { [suspensions, clock] () throws(SystemError) in
            try ClockSetWatch(loop: loop) {
                suspensions.check()
                clock.check()
            }
        }
        // All applications of a host share the inotify instances of one user.
        let isAsked = application.map { $0.command(at: TimeChange.name) != nil } ?? true
        if isAsked, let file = TimeZoneFile(variable: Environment.variables["TZ"]) {
            timeZone = missing.attempt(for: TimeChange.name) { () throws(SystemError) in
                try TimeZoneSource(
                    loop: loop, mediator: mediator, file: file,
                    onEnd: { [missing] error in
                        missing.attempt(for: TimeChange.name) { () throws(SystemError) in throw error }
                    },
                    onChange: { [clockWatch] in clockWatch?.check() })
            }
        }
    }

    /// Watches memory pressure if that was not possible before, or has ended.
    func openMemory() {
        guard memory?.isOver != false else { return }
        memory = missing.attemptInUnit(for: .didReceiveMemoryWarning, makeMemory)
        missing.flush()
    }

    /// Why a notification may not come, or not in time; nil if nothing is missing that reports it.
    func problem(with name: LifecycleNotification.Name) -> String? {
        guard [.willSleep, .didWake].contains(name) else { return missing.reasons[name] }
        if bus?.isReady == false { return "there is no connection to the system's bus" }
        return login.sleep.inhibitor.refusal?.description
    }

    private static func report(_ problem: LoginProblem, in log: ServiceLog) {
        switch problem {
        case .refused(let operation, let error):
            log.write(.notice, "\(error), no \(operation) waits for us", .inhibitor)
        case .overrun(.sleep, let limit):
            log.write(
                .warning, "listeners were not done in the \(limit) that logind waits, the machine sleeps all the same",
                .machineGoesOn)
        case .overrun(.shutdown, let limit):
            log.write(
                .warning, "background tasks were not done in the \(limit) that logind waits, the shutdown goes on",
                .machineGoesOn)
        }
    }

    /// Applies the settings of sources.
    func apply(_ settings: BelfrySettings) throws(SystemError) {
        let routes = settings.signalRoutes
        let unmapped = Set(SignalName.mappable).subtracting(routes.map(\.number))
        try signals.apply(routes, ignoring: unmapped)
        login.sleep.inhibitor.isWanted = settings.service.inhibitSleep
        login.shutdown.inhibitor.isWanted = settings.service.inhibitShutdown
        missing.attempt { () throws(SystemError) in try protectedData.apply(settings.service.protectedData) }
    }
}

nonisolated extension BelfrySettings {
    /// The routes of `[Signals]`.
    fileprivate var signalRoutes: [SignalRoute] {
        signals.actions.filter { $1 != .ignore }.map { SignalRoute($0, name: SignalName.full($0), $1) }
    }
}
