// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry
public import Lifecycle
public import Logging
public import ServiceLifecycle

extension ServiceContext {
    /// Runs services of swift-service-lifecycle as a part of this one.
    ///
    ///     ServiceMain.run(ServiceOptions(name: "hello"), with: [.socket]) { service in
    ///         let ready = ServiceReadiness()
    ///         let app = Application(router: router, onServerRunning: { _ in ready.signal() })
    ///         try service.addServiceGroup(services: [app], readiness: ready)
    ///     }
    ///
    /// The same as `addServiceGroup(_:name:follows:readiness:startDeadline:shutdownDeadline:)` with what a service
    /// group does unless it is told otherwise: the first service that ends, ends them all.
    ///
    /// - Parameters:
    ///   - services: started in this order, shut down in reverse.
    ///   - logger: for what the group itself has to say.
    ///   - readiness: signalled by the services once they do their work; without it, a service that runs is ready.
    /// - Throws: when listeners would follow each other in a circle.
    public func addServiceGroup(
        services: [any Service], logger: Logger = .current, readiness: ServiceReadiness? = nil
    ) throws(ListenerOrderError) {
        let services = services.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0) }
        try addServiceGroup(ServiceGroupConfiguration(services: services, logger: logger), readiness: readiness)
    }

    /// Runs a service group of swift-service-lifecycle as a part of this service.
    ///
    /// The group is a listener. What its services need is added before it, or named in `follows`, and is then there
    /// when they start and still there when they stop.
    ///
    /// * *Start.* `didFinishLaunching` starts the group, and waits until `run()` of each of its services has been
    ///   entered and `readiness`, if there is one, has been signalled. Only then can the service become active and
    ///   systemd be told `READY=1`. A group that ends or fails before that, or is not ready by `startDeadline`, refuses
    ///   the launch: exit code 71.
    /// * *Stop.* `willTerminate` triggers the graceful shutdown and waits for its end. At `shutdownDeadline` the
    ///   group's task is cancelled and no longer waited for. To give services time to act on their cancellation, set
    ///   the configuration's `maximumGracefulShutdownDuration` below that.
    /// * *Failure.* When the group throws, before or during the stop, the service stops in order and the process ends
    ///   with exit code 70 (`ServiceContext.fail(_:)`), which systemd counts as a failed unit. When the group ends
    ///   without an error, because the configuration lets a service end it, the service stops in order with exit
    ///   code 0.
    /// * *Pause.* The group goes on. Services that are to rest observe the mediator.
    ///
    /// - Parameters:
    ///   - configuration: the services, and what the end of each means. The signals in it are left out: they arrive at
    ///     the mediator. A group without services does nothing.
    ///   - name: what the listener is called in the journal and on the socket.
    ///   - follows: names of listeners that the services need.
    ///   - readiness: signalled by the services once they do their work.
    ///   - startDeadline: how long the start may take; the mediator's own deadline for listeners when nil.
    ///   - shutdownDeadline: how long the graceful shutdown may take; the mediator's own deadline when nil. The time
    ///     for the whole stop (`StopTimeout=`) bounds it too.
    /// - Throws: when listeners would follow each other in a circle.
    public func addServiceGroup(
        _ configuration: ServiceGroupConfiguration, name: String = "serviceGroup", follows: [String] = [],
        readiness: ServiceReadiness? = nil, startDeadline: Duration? = nil, shutdownDeadline: Duration? = nil
    ) throws(ListenerOrderError) {
        try mediator.addListener(
            ServiceGroupListener(
                configuration, name: name, follows: follows, mediator: mediator, readiness: readiness,
                startDeadline: startDeadline, shutdownDeadline: shutdownDeadline, onFailure: fail))
    }
}
