// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
package import Belfry
package import BelfryEventLoop
package import BelfryMetricRegistry
package import Lifecycle
package import BelfryListeners
internal import Varlink

/// Offers `io.belfry.Lifecycle` on a Varlink socket (UAPI.20).
///
/// It observes all notifications, so that subscribers get one before any listener acts on it. Add it early: it then
/// listens before the other listeners launch, and closes after they have terminated.
package final class SocketListener: LifecycleListener {
    package let name = "socket"
    let mediator: LifecycleMediator
    let identity: ServiceIdentity
    let subscribers: SubscriberList
    let holds: HoldList
    let attached: AttachedListenerList
    let clients: ClientLog
    /// Counts notifications since the start.
    let counts = NotificationCounts()
    /// How long transitions took since the start.
    let transitions = TransitionDurations()
    /// The last notification, and when the state changed.
    let latest = LatestNotification()
    /// The metrics of the program.
    let registry: MetricRegistry
    let posts = PostAdmission()
    /// The times of the unit.
    let budget: UnitBudget
    let followedPosts = FollowedPosts()
    /// The application that the service stands for.
    let application: ApplicationSettings?
    private let server: VarlinkServer
    private let endpoint: SocketEndpoint
    private let retained: RetainedNotifications
    private(set) var parameters: SocketParameters
    let describeRun: () -> UserInfo
    private var observation: LifecycleObservation?
    private var events: LifecycleObservation?

    /// Makes a listener that does not listen yet.
    ///
    /// - Parameters:
    ///   - loop: the loop that watches the sockets.
    ///   - mediator: the mediator of the service.
    ///   - parameters: what the configuration says, until a reload.
    ///   - identity: what the service says about itself.
    ///   - endpoint: where it listens.
    ///   - retained: the recent notifications.
    ///   - registry: the metrics of the program.
    ///   - log: gets a record of refused clients, among others.
    ///   - describeRun: what `GetState` says about this run besides the state.
    ///   - budget: knows the times of the unit; nil without one.
    ///   - application: the application that the service stands for. Its program may attach.
    package init(
        loop: MainEventLoop, mediator: LifecycleMediator, parameters: SocketParameters, identity: ServiceIdentity,
        endpoint: SocketEndpoint, retained: RetainedNotifications, registry: MetricRegistry = .shared, log: ServiceLog,
        describeRun: @escaping () -> UserInfo = { [:] }, budget: UnitBudget? = nil,
        application: ApplicationSettings? = nil
    ) throws {
        self.mediator = mediator
        self.registry = registry
        self.parameters = parameters
        self.identity = identity
        self.endpoint = endpoint
        self.retained = retained
        self.describeRun = describeRun
        self.application = application
        self.budget = budget ?? UnitBudget(mediator: mediator, unit: nil)
        clients = ClientLog(log, clock: mediator.clock)
        holds = HoldList(mediator: mediator, log: log)
        attached = AttachedListenerList(mediator: mediator, bootID: identity.bootID, log: log, application: application)
        server = try VarlinkServer(
            VarlinkServiceInfo(
                vendor: "Belfry", product: identity.service, version: identity.version,
                url: "file:///usr/share/doc/belfry/README.md"),
            on: loop, limits: parameters.limits.possible, onProblem: { [clients] in clients.record($0) },
            isMember: { SocketPermissions.isProgram(of: application?.name, $0) })
        retained.begin(after: mediator.lastSequence)
        subscribers = SubscriberList(on: server, bootID: identity.bootID, parameters, retained, clients)
        addInterface()
        observation = mediator.addObserver { [unowned self, counts, latest, subscribers, attached] in
            counts.count($0)
            latest.update($0)
            subscribers.send($0)
            attached.stateChanged(to: $0.state) { state }
        }
        events = mediator.addEventObserver(for: .transitionEnded, .listenerFailed) {
            [transitions, counts, clock = mediator.clock] in
            if case .transitionEnded(let report) = $0 { transitions.add(report, endUsec: clock.now.monotonicUsec) }
            guard case .listenerFailed(_, let notification) = $0 else { return }
            let key = application?.key(for: notification) ?? notification.name.rawValue
            counts.countFailure(at: key, usec: clock.now.realtimeUsec)
        }
    }

    package var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in
            try endpoint.open(server)
            retained.save()
        }
        // It cannot fail.
        on(.didReload) { [self] in apply($0.configuration) }
        on(.didFailToReload) { [self] in apply($0.configuration) }
        on(.didEnterBackground) { [self] _ in work }
        on(.willTerminate) { [self] notification in
            server.flush()
            // After a restart, and after a failure, another process listens on the same socket. If the unit of the
            // application restarts, that is not certain: systemd calls the start of this service off when that of the
            // unit fails, and keeps what is stored.
            let reason = Termination(userInfo: notification.userInfo)?.reason
            let isUnitRestarted = notification.userInfo.text("unitJob") == "restart"
            guard let reason, isUnitRestarted || ![.restart, .failed, .launchRefused].contains(reason) else { return }
            endpoint.removeFile()
        }
    }

    /// Who was told of a pause, and which holds it did not wait for any longer; nil for nobody. Attached programs are
    /// listeners themselves.
    private var work: String? {
        let count = subscribers.count(wanting: .didEnterBackground)
        let told = count == 0 ? nil : "told \(count) subscriber\(count == 1 ? "" : "s")"
        let texts = [told, holds.named.map { "waits no longer for \($0)" }].compactMap(\.self)
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    /// How many clients there are.
    var connectionCount: Int { server.connectionCount }

    /// Closes the socket and all connections, after a last attempt to write what is queued.
    package func close() { server.close() }

    private func apply(_ configuration: LifecycleConfiguration?) {
        guard let settings = configuration?[BelfrySettings.self] else { return }
        parameters = SocketParameters(settings)
        subscribers.apply(parameters)
        server.limits = parameters.limits.possible
    }

    /// A method: the permission that it needs, and what answers it.
    typealias Method = (permission: SocketPermission, answer: (SocketListener, VarlinkRequest) -> Void)

    private func addInterface() {
        let handlers = Self.methods.mapValues { method in
            { [unowned self] (request: VarlinkRequest) in
                guard parameters.access.admits(request, to: method.permission, clients) else {
                    return request.fail(.permissionDenied)
                }
                method.answer(self, request)
            }
        }
        server.add(
            VarlinkInterface(named: "io.belfry.Lifecycle", constant: lifecycleInterfaceText, methods: handlers))
    }
}
