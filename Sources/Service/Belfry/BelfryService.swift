// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
public import BelfryEventLoop
public import BelfryLinux
package import BelfryListeners
public import Lifecycle

/// The service that `compose` assembles.
///
/// Not `ServiceContext`, a type of swift-service-context, and not `Service`, one of swift-service-lifecycle: a file may
/// import these too.
@MainActor public struct BelfryService {
    /// The mediator; add listeners and observers here.
    public let mediator: LifecycleMediator
    /// The clock of the mediator, for `StartupSequence` and for waits: that of the machine, in a test the manual one.
    public var clock: any LifecycleClock { mediator.clock }
    /// The loop of the main thread. On it the service watches descriptors and timers of its own.
    public let loop: MainEventLoop
    /// The sockets and the stored descriptors that the service manager has for this service.
    public let descriptors: ServiceDescriptors
    /// The directory for files that do not outlive the boot, such as sockets: `[Service] RuntimeDirectory=`, which by
    /// default is that of the unit (systemd.exec(5)), or `/run/NAME` for root without a unit.
    public var runtimeDirectory: String { paths.runtimeDirectory }
    /// The directory for files that outlive the boot: `[Service] StateDirectory=`, which by default is that of the
    /// unit, or `/var/lib/NAME` for root without a unit. If it cannot be made, the log says so.
    public var stateDirectory: String { paths.stateDirectory }
    /// Whether it takes new work: it is active, and no stop was asked for. It is the answer for a load balancer, which
    /// asks a page such as `/readyz`. The health of the listeners does not count.
    public var isReady: Bool { mediator.state == .active && !mediator.isStopping }
    /// The log of the service.
    package let log: ServiceLog
    let paths: RuntimePaths
    let reader: ConfigurationReader
    let onFailure: (any Error) -> Void

    /// Calls `handler` for each notification of this name, or for every notification when it is nil, for as long as the
    /// service runs.
    ///
    ///     service.observe(.didReceiveMemoryWarning) { _ in cache.shrink() }
    ///
    /// Observers are called before listeners, and cannot refuse or delay anything; see
    /// `LifecycleMediator.addObserver(forName:using:)` for their order.
    ///
    /// - Returns: the observation, to end it early with `cancel()`. To release it has no effect.
    @discardableResult
    public func observe(
        _ name: LifecycleNotification.Name? = nil, using handler: @escaping (LifecycleNotification) -> Void
    ) -> LifecycleObservation {
        mediator.addObserver(forName: name, using: handler).lasting()
    }

    /// Calls `handler` for each notification of this type whose user info fits the type, for as long as the service
    /// runs.
    ///
    ///     service.observeEvent(MemoryWarning.self) { warning in cache.shrink(to: warning.level) }
    ///
    /// - Returns: the observation, to end it early with `cancel()`. To release it has no effect.
    @discardableResult
    public func observeEvent<Event: LifecycleEvent>(
        _ type: Event.Type, using handler: @escaping (Event) -> Void
    ) -> LifecycleObservation {
        mediator.addObserver(of: type, using: handler).lasting()
    }

    /// Starts a child process: with an empty signal mask and default dispositions, in a process group of its own, and
    /// with the descriptors of the command and no others.
    ///
    /// - Parameters:
    ///   - command: the program, and what it is given.
    ///   - onExit: called once, when the child has ended and is about to be reaped.
    /// - Returns: the child, to send it signals and to end it.
    /// - Throws: `ENOENT` for a program that is not there, and the other errors of posix_spawnp(3).
    @discardableResult
    public func start(
        _ command: ChildCommand, onExit: @escaping (ChildExit) -> Void = { _ in }
    ) throws(SystemError) -> ChildProcess {
        try ChildProcess(command, on: loop, onExit: onExit)
    }

    /// Stops the service in order, because a part of it has failed, and makes the failure visible: the error is logged,
    /// `willTerminate` carries the reason `failed` and the error, and the process ends with exit code 70, which systemd
    /// counts as a failed unit (systemd.service(5), `Restart=on-failure`).
    ///
    /// It cancels a launch that is under way; to refuse the launch itself, a listener throws.
    /// During a stop only the exit code changes.
    public func fail(_ error: any Error) { onFailure(error) }
}
