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

/// Makes a pause a real one: with `StopOnPause=yes` the process stops itself once it is in the background.
///
/// A stopped process cannot feed the watchdog, so the manager is told first that there is none for now
/// (`WATCHDOG_USEC=0`, sd_notify(3)), and the process stops only when the manager has done that. The watchdog of a
/// service that is not healthy goes on: a pause gives it no more time to recover.
final class SelfSuspension {
    /// How long the manager may take.
    private static let patience: Duration = .seconds(5)

    private let loop: MainEventLoop
    private let mediator: LifecycleMediator
    private let log: ServiceLog
    private let login: LoginSource
    private let manager: ServiceManagerSocket
    private var work: DeferredEventSource?
    private var transitions: LifecycleObservation?

    /// Waits for transitions that end in the background, such as a reload that came in the midst of a pause. The
    /// process then stops after all else of a turn, the writing of answers included, so that whoever asked for the
    /// pause has his answer. A pause before the machine's sleep stops nothing: nobody would send a SIGCONT.
    init(
        loop: MainEventLoop, mediator: LifecycleMediator, manager: ServiceManagerSocket, log: ServiceLog,
        login: LoginSource
    ) throws {
        self.loop = loop
        self.mediator = mediator
        self.manager = manager
        self.log = log
        self.login = login
        // A lock that is asked for now would come to a process that does not run, and make the machine wait for it.
        work = try loop.deferred { [unowned self] in login.whenSettled { [weak self] in self?.prepare() } }
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
        manager.barrier(on: loop, limit: Self.patience) { [unowned self] in stop($0, watchdog: watchdog) }
    }

    /// Stops the process, if it is still to be stopped. Returns when it was continued: the SIGCONT is then waiting to
    /// be read, and is what brings the service back.
    private func stop(_ told: ServiceManagerSocket.Outcome, watchdog: Duration?) {
        if isDue {
            if case .failed(let error) = told, watchdog != nil {
                log.write(.warning, "\(error), staying in the background without a SIGSTOP", .notSuspended)
            } else {
                mediator.perform(.suspend)
                manager.send([.status("suspended until SIGCONT")])
                login.leave()
                kill(getpid(), SIGSTOP)
                login.ask()
            }
        }
        guard let watchdog else { return }
        manager.send([.watchdogTimeout(usec: watchdog.microseconds), .watchdogAlive])
    }
}
