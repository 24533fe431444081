// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import Glibc
internal import Lifecycle
internal import ServiceManager

/// Makes a pause a real one: with `StopOnPause=yes` the process stops itself once it is in the background. The watchdog
/// is told first, since a stopped process cannot feed it.
final class SelfSuspension {
    private let mediator: LifecycleMediator
    private let manager = ServiceManagerSocket()

    init(mediator: LifecycleMediator) { self.mediator = mediator }

    /// Stops the process, if it is to be stopped. Returns when it was continued: the SIGCONT is then waiting to be
    /// read, and is what brings the service back.
    func pauseHasEnded() {
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
