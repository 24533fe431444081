// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import EventLoop
internal import Glibc
internal import Lifecycle
internal import ServiceManager

/// Makes a pause a real one: with `StopOnPause=yes` the process stops itself once it is in the background. The watchdog
/// is told first, since a stopped process cannot feed it.
final class SelfSuspension {
    private let mediator: LifecycleMediator
    private let manager = ServiceManagerSocket()
    private var work: DeferredEventSource?

    /// Waits for pauses to end. The process then stops after all else of a turn, the writing of answers included, so that whoever
    /// asked for the pause has his answer.
    init(loop: MainEventLoop, mediator: LifecycleMediator) throws {
        self.mediator = mediator
        work = try loop.deferred { [unowned self] in suspend() }
        work?.priority = 2_000_000
        mediator.addTransitionObserver { [work] report in
            if report.trigger == .pause { work?.schedule() }
        }
    }

    /// Stops the process, if it is to be stopped. Returns when it was continued: the SIGCONT is then waiting to be
    /// read, and is what brings the service back.
    private func suspend() {
        guard mediator.state == .background,
            mediator.configuration[BelfrySettings.self]?.service.stopOnPause == true
        else { return }
        mediator.perform(.suspend)
        let watchdog = getenv("WATCHDOG_USEC").flatMap { UInt64(String(cString: $0)) }
        if watchdog != nil { manager.send([.watchdogTimeout(usec: 0)]) }
        manager.send([.status("suspended")])
        kill(getpid(), SIGSTOP)
        if let watchdog { manager.send([.watchdogTimeout(usec: watchdog)]) }
    }
}
