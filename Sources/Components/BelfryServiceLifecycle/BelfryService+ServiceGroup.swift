// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry
public import Lifecycle
public import ServiceLifecycle

extension BelfryService {
    /// Runs a service group of swift-service-lifecycle as part of this service.
    ///
    ///     ServiceMain.run(ServiceOptions(name: "hello"), with: [.socket]) { service in
    ///         let ready = ServiceReadiness()
    ///         let app = Application(router: router, onServerRunning: { _ in ready.signal() })
    ///         try service.addServiceGroup(
    ///             .init(services: [.init(service: app, serviceName: "app")], logger: app.logger), readiness: ready)
    ///     }
    ///
    /// The group is a listener. Listeners that are added before it, or named in `follows`, are launched before the
    /// services start, and stay until the services have stopped.
    ///
    /// * *Start.* `didFinishLaunching` starts the group, and waits until `run()` of each service has been called and
    ///   `readiness`, if given, has been signalled. After that the service becomes active and sends `READY=1` to
    ///   systemd. If the group ends or fails before, or is not ready by `startDeadline`, the launch is refused: exit
    ///   code 71.
    /// * *Stop.* `willTerminate` triggers the graceful shutdown and waits for its end. At `shutdownDeadline` the task
    ///   of the group is cancelled and not waited for. To give services time to react to the cancellation, set
    ///   `maximumGracefulShutdownDuration` of the configuration to a shorter time.
    /// * *Failure.* If a service throws, before or during the stop, or returns though it should not, the error and the
    ///   name of the service (`serviceName`, or its type unless you set one) are logged at once, the service stops in
    ///   order, and the process exits with code 70 (`BelfryService.fail(_:)`), which systemd counts as a failed unit.
    ///   The other services have until `shutdownDeadline`, as in any stop; one that ignores its cancellation is left
    ///   behind. If a service ends the group without an error, because the configuration allows that, the service stops
    ///   in the same way with exit code 0. The end of a service that the configuration ignores changes nothing.
    /// * *Pause.* The group continues. Services that should pause observe the mediator.
    ///
    /// - Parameters:
    ///   - configuration: the services, and what the end of each means. Its signals are ignored: the mediator receives
    ///     signals. A group without services does nothing.
    ///   - name: the name of the listener in the journal and on the socket.
    ///   - follows: the names of listeners that the services need.
    ///   - readiness: signalled by the services when they are ready.
    ///   - startDeadline: the time for the start; nil for the default deadline of listeners.
    ///   - shutdownDeadline: the time for the graceful shutdown; nil for the default deadline. The time for the whole
    ///     stop (`StopTimeout=`) limits it too.
    /// - Throws: `ListenerOrderError` if `follows` leads to a cycle.
    public func addServiceGroup(
        _ configuration: ServiceGroupConfiguration, name: String = "serviceGroup", follows: [String] = [],
        readiness: ServiceReadiness? = nil, startDeadline: Duration? = nil, shutdownDeadline: Duration? = nil
    ) throws(ListenerOrderError) {
        try mediator.addServiceGroup(
            configuration, name: name, follows: follows, readiness: readiness, startDeadline: startDeadline,
            shutdownDeadline: shutdownDeadline, onEnd: { workEnded($0, of: name) })
    }
}

extension LifecycleMediator {
    /// Adds a listener for a group, unless it has no services.
    package func addServiceGroup(
        _ configuration: ServiceGroupConfiguration, name: String = "serviceGroup", follows: [String] = [],
        readiness: ServiceReadiness? = nil, startDeadline: Duration? = nil, shutdownDeadline: Duration? = nil,
        onEnd: @escaping WorkerListener.Ended
    ) throws(ListenerOrderError) {
        guard !configuration.services.isEmpty else { return }
        let begun = configuration.services.map { _ in ServiceReadiness() }
        var group: ServiceGroup?
        let listener = WorkerListener(
            name, follows: follows, readiness: begun + (readiness.map { [$0] } ?? []), startDeadline: startDeadline,
            stopDeadline: shutdownDeadline, requestEnd: { _ in await group?.triggerGracefulShutdown() }, onEnd: onEnd
        ) { ended in
            let made = ServiceGroup(configuration: configuration.observed(begun, onEnd: ended))
            group = made
            try await made.run()
        }
        try addListener(listener)
    }
}
