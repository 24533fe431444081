// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
package import Belfry
package import BelfryEventLoop
package import BelfryMetricRegistry
internal import Glibc
package import Lifecycle
internal import BelfrySystemd
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
    let log: ServiceLog
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
    /// Finds the group whose members are privileged.
    let group: GroupLookup
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
    ///   - database: finds groups that are not in /etc/group.
    package init(
        loop: MainEventLoop, mediator: LifecycleMediator, parameters: SocketParameters, identity: ServiceIdentity,
        endpoint: SocketEndpoint, retained: RetainedNotifications, registry: MetricRegistry = .shared, log: ServiceLog,
        describeRun: @escaping () -> UserInfo = { [:] },
        budget: UnitBudget? = nil, database: @escaping GroupLookup.Database = GroupLookup.search
    ) throws {
        self.mediator = mediator
        self.registry = registry
        self.parameters = parameters
        self.identity = identity
        self.endpoint = endpoint
        self.retained = retained
        self.log = log
        self.describeRun = describeRun
        self.budget = budget ?? UnitBudget(mediator: mediator, unit: nil)
        group = GroupLookup(mediator.clock, log, database)
        clients = ClientLog(log)
        holds = HoldList(mediator: mediator, log: log)
        attached = AttachedListenerList(
            mediator: mediator, bootID: identity.bootID, log: log)
        server = try VarlinkServer(
            VarlinkServiceInfo(
                vendor: "Belfry", product: identity.service, version: identity.version,
                url: "file:///usr/share/doc/belfry/README.md"),
            on: loop, limits: parameters.limits.possible, onProblem: { [clients] in clients.record($0) })
        retained.begin(after: mediator.lastSequence)
        subscribers = SubscriberList(on: server, bootID: identity.bootID, parameters, retained, clients)
        add("io.belfry.Lifecycle", lifecycleInterfaceText, Self.methods)
        add("io.systemd.service", systemdServiceInterfaceText, Self.systemdMethods)
        observation = mediator.addObserver { [unowned self, counts, latest, subscribers, attached] in
            counts.count($0)
            latest.update($0)
            subscribers.send($0)
            attached.stateChanged(to: $0.state) { state }
        }
        events = mediator.addEventObserver(for: .transitionEnded) { [transitions, clock = mediator.clock] in
            guard case .transitionEnded(let report) = $0 else { return }
            transitions.add(report, endUsec: clock.now.monotonicUsec)
        }
    }

    package var answers: [LifecycleAnswer] {
        // No client is to be refused only because it came before the group was found.
        onCompletion(.willFinishLaunching, deadline: GroupLookup.limit * 2) { [self] _, completion in
            apply(mediator.configuration)
            group.whenAnswered { [self] in
                completion(
                    Result {
                        try endpoint.open(server)
                        retained.save()
                    })
            }
            return {}
        }
        // It cannot fail.
        on(.didReload) { [self] in apply($0.configuration) }
        on(.didFailToReload) { [self] in apply($0.configuration) }
        on(.didEnterBackground) { [self] _ in work }
        on(.willTerminate) { [self] notification in
            server.flush()
            // After a restart, and after a failure, another process listens on the same socket.
            let reason = Termination(userInfo: notification.userInfo)?.reason
            if let reason, ![.restart, .failed, .launchRefused].contains(reason) { endpoint.removeFile() }
        }
    }

    /// Who was told of a pause, and which holds it did not wait for any longer; nil for nobody. Attached programs are
    /// listeners themselves.
    private var work: String? {
        func text(_ verb: String, _ count: Int, _ noun: String) -> String? {
            count == 0 ? nil : "\(verb) \(count) \(noun)\(count == 1 ? "" : "s")"
        }
        let texts = [
            text("told", subscribers.count(wanting: .didEnterBackground), "subscriber"),
            text("waits no longer for", holds.count, "hold"),
        ].compactMap(\.self)
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    /// How many clients there are.
    var connectionCount: Int { server.connectionCount }

    /// Closes the socket and all connections, after a last attempt to write what is queued.
    package func close() { server.close() }

    private func apply(_ configuration: LifecycleConfiguration?) {
        guard let settings = configuration?[BelfrySettings.self] else { return }
        group.find(settings.socket.group) { [unowned self] in
            parameters = SocketParameters(settings, group: $0)
            subscribers.apply(parameters)
            server.limits = parameters.limits.possible
        }
    }

    /// A method: the permission that it needs, and what answers it.
    typealias Method = (permission: SocketPermission, answer: (SocketListener, VarlinkRequest) -> Void)

    private func add(_ name: String, _ text: String, _ methods: [String: Method]) {
        let handlers = methods.mapValues { method in
            { [unowned self] (request: VarlinkRequest) in
                guard parameters.access.admits(request, to: method.permission, clients) else {
                    return request.fail(.permissionDenied)
                }
                method.answer(self, request)
            }
        }
        server.add(VarlinkInterface(named: name, constant: text, methods: handlers))
    }
}
