// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
package import BelfryEventLoop
internal import Glibc
package import Lifecycle
package import BelfrySystemd
package import BelfryListeners
internal import Varlink

/// Offers the service's life on a socket: `io.belfry.Lifecycle` in Varlink (UAPI.20).
///
/// It observes everything, so that subscribers hear of a notification before any listener acts on it. Add it early: it
/// then listens before the others launch, and closes after they have terminated.
package final class SocketListener: LifecycleListener {
    package let name = "socket"
    let mediator: LifecycleMediator
    let identity: ServiceIdentity
    let subscribers: SubscriberList
    let holds: HoldList
    let attached: AttachedListenerList
    let clients: ClientLog
    let log: ServiceLog
    /// What was posted since the start.
    let counts = NotificationCounts()
    let posts = PostAdmission()
    /// The unit's own times, as far as they are known.
    package var unitTimeouts: UnitTimeouts?
    /// Reads them anew, and calls back when that is done.
    package var refreshTimeouts: ((@escaping () -> Void) -> Void)?
    /// The times of the unit are asked for, and signals rehearsed, once at a time.
    lazy var explanations = RequestMerger { [unowned self] _, requests, done in explain(requests, done) }
    lazy var rehearsals = RequestMerger { [unowned self] _, requests, done in rehearse(requests, done) }
    private let server: VarlinkServer
    private let endpoint: SocketEndpoint
    private let handoff: Handoff
    private var access: SocketAccess
    /// What `GetState` says of this run besides where it is.
    package var describeRun: () -> UserInfo = { [:] }
    private var observation: LifecycleObservation?

    /// Makes a listener that does not listen yet.
    ///
    /// - Parameters:
    ///   - loop: the loop that the sockets live on.
    ///   - mediator: whose life is offered.
    ///   - identity: what the service says of itself.
    ///   - endpoint: where it listens.
    ///   - handoff: what an earlier process left to it, and what it leaves to the next.
    ///   - series: what the journal has of its notifications; nil when it has none.
    ///   - log: hears of refused clients.
    package init(
        loop: MainEventLoop, mediator: LifecycleMediator, identity: ServiceIdentity, endpoint: SocketEndpoint,
        handoff: Handoff, series: JournalSeries? = nil, log: ServiceLog
    ) throws {
        let settings = mediator.configuration[BelfrySettings.self]?.socket ?? BelfrySettings.defaults.socket
        self.mediator = mediator
        self.identity = identity
        self.endpoint = endpoint
        self.handoff = handoff
        self.log = log
        clients = ClientLog(log)
        access = SocketAccess(settings)
        holds = HoldList(mediator: mediator, log: log)
        attached = AttachedListenerList(
            mediator: mediator, bootID: identity.bootID, queueLimit: settings.queueMax, log: log)
        server = try VarlinkServer(
            VarlinkServiceInfo(
                vendor: "Belfry", product: identity.service, version: identity.version,
                url: "file:///usr/share/doc/belfry/README.md"),
            on: loop, limits: VarlinkLimits(settings))
        try handoff.begin(after: mediator.lastSequence)
        subscribers = SubscriberList(
            on: server, loop: loop, bootID: identity.bootID, queueLimit: settings.queueMax,
            queueByteLimit: settings.queueSizeMax,
            replayLimit: settings.replayMax, handoff: handoff,
            journal: series.map { Self.queue($0, mediator, log) })
        server.add(try VarlinkInterface(lifecycleInterfaceText, methods: methods))
        server.add(try VarlinkInterface(systemdServiceInterfaceText, methods: systemdMethods))
        server.add(try VarlinkInterface(metricsInterfaceText, methods: metricsMethods))
        server.onProblem = { [clients] in clients.note($0) }
        subscribers.admits = { [unowned self] in admits($0, .look) }
        observation = mediator.addObserver { [counts, subscribers, server] in
            counts.note($0)
            subscribers.send($0)
            server.keepUp()
        }
    }

    package var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in
            try endpoint.open(server, handoff.descriptors)
            subscribers.resume()
        }
        // Nothing in it can fail.
        on(.didReload) { [self] in apply($0.configuration) }.rehearsing { _ in }
        on(.didFailToReload) { [self] in apply($0.configuration) }
        on(.willTerminate) { [self] _ in server.flush() }
    }

    /// How many clients there are.
    var connectionCount: Int { server.connectionCount }

    /// Closes the socket and all connections, after a last attempt to write what is queued. Those of subscribers live on
    /// if the next process is to have them.
    package func close() {
        // Subscriptions that begin in this turn are handed over too.
        server.flush()
        handoff.close()
        server.close()
    }

    private func apply(_ configuration: LifecycleConfiguration?) {
        guard let settings = configuration?[BelfrySettings.self]?.socket else { return }
        access = SocketAccess(settings)
        subscribers.review()
        server.limits = VarlinkLimits(settings)
        subscribers.queueLimit = settings.queueMax
        subscribers.queueByteLimit = settings.queueSizeMax
        subscribers.replayLimit = settings.replayMax
        attached.queueLimit = settings.queueMax
    }

    private static func queue(_ series: JournalSeries, _ mediator: LifecycleMediator, _ log: ServiceLog) -> JournalQueue
    {
        var isTold = false
        return JournalQueue(series) {
            let logger = mediator.configuration[BelfrySettings.self]?.logger ?? BelfrySettings.defaults.logger
            return logger.isEnabled && log.isKept(.info)
        } onProblem: { problem in
            guard !isTold else { return }
            isTold = true
            let reason =
                problem.map { "\($0)" } ?? "the journal shows none, is its reader in the group systemd-journal?"
            log.write(.notice, "unable to replay what is not in memory any more: \(reason)", .replay)
        }
    }

    /// Lets a client look, or answers that it may not.
    func look(_ answer: @escaping VarlinkInterface.Handler) -> VarlinkInterface.Handler { admit(.look, answer) }

    /// Lets a client post, or answers that it may not.
    func post(_ answer: @escaping VarlinkInterface.Handler) -> VarlinkInterface.Handler { admit(.post, answer) }

    /// Lets a client have a say in the service's life, or answers that it may not.
    func control(_ answer: @escaping VarlinkInterface.Handler) -> VarlinkInterface.Handler { admit(.control, answer) }

    /// Lets the service's own user and root read, or answers that others may not.
    func own(_ answer: @escaping VarlinkInterface.Handler) -> VarlinkInterface.Handler { admit(.own, answer) }

    private func admit(
        _ permission: SocketPermission, _ answer: @escaping VarlinkInterface.Handler
    ) -> VarlinkInterface.Handler {
        { [unowned self] in admits($0, permission) ? answer($0) : $0.fail(.permissionDenied) }
    }

    private func admits(_ request: VarlinkRequest, _ permission: SocketPermission) -> Bool {
        if access.allows(permission, request.peer) { return true }
        clients.refused(request.method, request.peer)
        return false
    }
}
