// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryEventLoop
internal import Glibc
internal import Lifecycle
internal import BelfryListeners
internal import BelfrySources
internal import BelfrySystemd
internal import BelfryLinux

/// Stops the process with SIGSTOP once it is in the background (`StopOnPause=yes`).
///
/// A stopped process cannot send the watchdog keep-alive, so the manager first turns the watchdog off (`WATCHDOG_USEC=0`,
/// sd_notify(3)), and the process stops when the manager has done that. The watchdog of an unhealthy service stays on.
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

    /// Observes transitions that end in the background, such as a reload during a pause. The process stops at the end of the
    /// turn, after answers are written, so that the client that asked for the pause gets its answer. A pause before the
    /// machine's sleep does not stop the process: nobody would send SIGCONT.
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
        work = try loop.deferred { [unowned self] in login.whenIdle { [weak self] in self?.prepare() } }
        work?.priority = 2_000_000
        transitions = mediator.addEventObserver(for: .transitionEnded) { [unowned mediator, work] _ in
            if mediator.state == .background, !login.sleep.isSleeping { work?.schedule() }
        }
    }

    private var isDue: Bool {
        mediator.state == .background && !mediator.isInTransition
            && mediator.configuration[BelfrySettings.self]?.service.stopOnPause == true
    }

    private func prepare() {
        guard isDue else { return }
        guard let watchdog = Watchdog.timeout, mediator.checkHealth().isEmpty else {
            return stop(.absent, watchdog: nil)
        }
        manager.send([.watchdogTimeout(usec: 0)])
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
