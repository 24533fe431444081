// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryEventLoop
internal import Glibc
internal import Lifecycle
internal import BelfryListeners
internal import BelfrySources
internal import BelfrySystemd

/// Stops the process with SIGSTOP once it is in the background: with `StopOnPause=yes`, and after Ctrl-Z in a terminal,
/// whose shell expects the process to stop.
///
/// A stopped process cannot send the watchdog keep-alive, so the manager first turns the watchdog off
/// (`WATCHDOG_USEC=0`, sd_notify(3)), and the process stops when the manager has done that. The watchdog of an
/// unhealthy service stays on.
final class SelfSuspension {
    /// How long the manager may take.
    private static let managerTimeout: Duration = .seconds(5)

    private let loop: MainEventLoop
    private let mediator: LifecycleMediator
    private let log: ServiceLog
    private let login: LoginSource
    private let manager: ServiceManagerSocket
    private var work: DeferredEventSource?
    private var transitions: LifecycleObservation?
    private var isAwaitingLogin = false
    /// Whether the pause was typed in a terminal.
    private var isFromTerminal = false

    /// Observes transitions that end in the background, such as a reload during a pause. The process stops at the end
    /// of the turn, after answers are written, so that the client that asked for the pause gets its answer. While the
    /// machine sleeps it goes on, and stops afterwards if it stays paused: a pause for the sleep alone has ended then.
    init(
        loop: MainEventLoop, mediator: LifecycleMediator, manager: ServiceManagerSocket, log: ServiceLog,
        login: LoginSource
    ) throws {
        self.loop = loop
        self.mediator = mediator
        self.manager = manager
        self.log = log
        self.login = login
        // A lock granted to a stopped process would delay the machine's sleep.
        work = try loop.deferred { [unowned self] in
            guard !isAwaitingLogin else { return }
            isAwaitingLogin = true
            login.whenIdle { [weak self] in self?.prepare() }
        }
        work?.priority = 2_000_000
        transitions = mediator.addEventObserver(for: .transitionEnded) { [unowned self] in
            guard case .transitionEnded(let report) = $0 else { return }
            if report.trigger == .pause { isFromTerminal = report.origin.isTerminal && Self.isJob }
            if mediator.state == .background { work?.schedule() }
        }
    }

    /// Whether a shell can continue the process. The kernel stops no session leader at Ctrl-Z either (setpgid(2),
    /// "orphaned process group").
    private static var isJob: Bool { getsid(0) != getpid() }

    private var isDue: Bool {
        // The first process of a container ignores a SIGSTOP of its own (pid_namespaces(7)).
        guard mediator.state == .background, !mediator.isInTransition, getpid() != 1 else { return false }
        return isFromTerminal || mediator.configuration[BelfrySettings.self]?.service.stopOnPause == true
    }

    private func prepare() {
        isAwaitingLogin = false
        guard isDue else { return }
        let watchdog = mediator.checkHealth().contains(where: \.health.wantsRestart) ? nil : Watchdog.timeout
        if watchdog != nil { manager.send([.watchdogTimeout(usec: 0)]) }
        // READY=1 of a launch into the background has to arrive as well.
        manager.barrier(on: loop, limit: Self.managerTimeout) { [unowned self] in stop($0, watchdog: watchdog) }
    }

    /// Stops the process, if that is still due. Returns after SIGCONT, which is then pending and continues the service.
    private func stop(_ told: ServiceManagerSocket.Outcome, watchdog: Duration?) {
        if isDue {
            if case .failed(let error) = told, watchdog != nil {
                log.write(.warning, "\(error), staying in the background without a SIGSTOP", .notSuspended)
            } else {
                mediator.perform(.suspend)
                manager.send([.status("suspended until SIGCONT")])
                login.releaseLocks()
                kill(getpid(), SIGSTOP)
                login.refresh()
            }
        }
        guard let watchdog else { return }
        manager.send([.watchdogTimeout(usec: watchdog.microseconds), .watchdogAlive])
    }
}

nonisolated extension LifecycleOrigin {
    /// Whether it is the SIGTSTP that the kernel sends for the suspend character, Ctrl-Z (termios(3)).
    fileprivate var isTerminal: Bool {
        if case .signal(let signal) = self { signal.number == SIGTSTP && signal.sender == .kernel } else { false }
    }
}
