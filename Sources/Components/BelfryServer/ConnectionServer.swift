// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry
package import BelfryEventLoop
internal import BelfryLinux
package import BelfryListeners
package import BelfryMetricRegistry
internal import BelfrySystemd
internal import Glibc
package import Lifecycle

/// Accepts connections while the service is active.
///
///     try service.mediator.addListener(
///         ConnectionServer(service, named: "echo", at: .port(7007)) { connection in
///             let client = try EchoClient(connection)
///             return { client.finish() }
///         })
///
/// | Notification | What it does |
/// |---|---|
/// | `didFinishLaunching` | binds its address, or refuses the launch |
/// | `didBecomeActive` | accepts connections |
/// | `willResignActive` | accepts no more, at a stop after `quietPeriod`; waits for those that are open to finish |
/// | `didEnterBackground` | shuts down those that are still open |
/// | `willReload` | checks whether a new address can be bound |
/// | `didReload` | moves to the new address. Connections that are open stay open |
///
/// While the service is not active, clients are refused at once; at a socket of systemd they wait (`Backlog=`,
/// systemd.socket(5)).
public final class ConnectionServer: LifecycleListener {
    /// Begins to serve a connection, and returns a closure that is called when the connection is asked to finish: it
    /// answers what it has received, and ends. The closure is called at each `willResignActive`, and released with the
    /// connection.
    public typealias Handler = (ServerConnection) throws -> () -> Void

    private enum State {
        /// Before the launch, and after the end.
        case closed
        case refusing(ServerSockets)
        case accepting(ServerSockets)
        /// It should accept, and cannot: it has no sockets if it could not move back to an address.
        case failed(ServerSockets?, SystemError)

        var sockets: ServerSockets? {
            switch self {
            case .closed: nil
            case .refusing(let sockets), .accepting(let sockets): sockets
            case .failed(let sockets, _): sockets
            }
        }
    }

    /// The name of the listener, of its metrics, and of the background task that waits for its connections.
    public let name: String
    private let address: (LifecycleNotification) -> ServerAddress
    private let connectionsMax: Int
    private let quietPeriod: Duration?
    private let loop: MainEventLoop
    private unowned let mediator: LifecycleMediator
    private let descriptors: ServiceDescriptors
    private let log: ServiceLog
    private let handler: Handler
    private let openMetric: MetricSeries
    private let acceptedMetric: MetricSeries
    private var state = State.closed
    private var connections: [ObjectIdentifier: (connection: ServerConnection, finish: () -> Void)] = [:]
    private var task: BackgroundTask?
    /// The quiet period under way, at a stop.
    private var quiet: QuietPeriod?
    /// When the last connection was accepted, by the monotonic clock.
    private var lastAccepted = Duration.zero
    private var loggedUsec: UInt64?
    private var fullUsec: UInt64?

    /// A server at an address that does not change.
    ///
    /// - Parameters:
    ///   - service: the service.
    ///   - name: the name of the listener.
    ///   - address: where it listens.
    ///   - connectionsMax: how many connections are open at a time; further clients wait in the kernel, and the log
    ///     says so. The unit must allow as many descriptors, and twice as many if they are duplicated (`LimitNOFILE=`,
    ///     of which the soft limit counts).
    ///   - quietPeriod: a stop, but no pause, goes on accepting until no client has come for this time, and for less
    ///     than twice as long, because load balancers learn late of it (`BelfryService.isReady`); nil for no such time.
    ///   - handler: serves a connection. What it throws is logged, and ends the connection.
    public convenience init(
        _ service: BelfryService, named name: String = "server", at address: ServerAddress, connectionsMax: Int = 512,
        quietPeriod: Duration? = nil, _ handler: @escaping Handler
    ) {
        self.init(
            service, named: name, at: { _ in address }, connectionsMax: connectionsMax, quietPeriod: quietPeriod,
            handler)
    }

    /// A server that moves when a reload changes its address, which a closure reads from the settings of a
    /// notification.
    ///
    ///     let settings = try service.settings(EchoSettings.self, section: "Echo")
    ///     let server = ConnectionServer(service, at: { settings.value(in: $0).listen }) { … }
    ///
    /// The reload is refused if the new address cannot be bound while the old one is, and if one of them is of systemd.
    public convenience init(
        _ service: BelfryService, named name: String = "server",
        at address: @escaping (LifecycleNotification) -> ServerAddress, connectionsMax: Int = 512,
        quietPeriod: Duration? = nil, _ handler: @escaping Handler
    ) {
        self.init(
            loop: service.loop, mediator: service.mediator, descriptors: service.descriptors, log: service.log,
            named: name, at: address, connectionsMax: connectionsMax, quietPeriod: quietPeriod, handler)
    }

    package init(
        loop: MainEventLoop, mediator: LifecycleMediator, descriptors: ServiceDescriptors, log: ServiceLog,
        metrics: MetricRegistry = .shared, named name: String,
        at address: @escaping (LifecycleNotification) -> ServerAddress, connectionsMax: Int,
        quietPeriod: Duration? = nil, _ handler: @escaping Handler
    ) {
        self.loop = loop
        self.mediator = mediator
        self.descriptors = descriptors
        self.log = log
        self.name = name
        self.address = address
        self.connectionsMax = connectionsMax
        self.quietPeriod = quietPeriod
        self.handler = handler
        openMetric = metrics.series("server_connections", [("server", name)], .gauge)
        acceptedMetric = metrics.series("server_connections_accepted", [("server", name)], .counter)
    }

    /// The lifecycle of the server, see above.
    public var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { [self] in try launch($0) }
        on(.didBecomeActive) { [self] in try becomeActive(at: address($0)) }
        if let quietPeriod {
            onOutcome(.willResignActive, deadline: quietPeriod * 2) { [self] in
                resignActive(after: quietPeriod, $0, $1, $2)
            }
        } else {
            on(.willResignActive) { [self] _ in resignActive() }
        }
        on(.didEnterBackground) { [self] _ in shutDown() }
        on(.willReload) { [self] in try check(address($0)) }
        on(.didReload) { [self] in try move(to: address($0)) }
        on(.didFailToReload) { [self] in try moveBack(to: address($0)) }
        on(.willTerminate) { [self] _ in state = .closed }
    }

    /// Unhealthy while it should accept connections and cannot listen.
    public var health: ListenerHealth {
        if case .failed(_, let error) = state { .unhealthy("\(error)") } else { .healthy }
    }

    /// How many connections are open.
    public var connectionCount: Int { connections.count }

    /// Where it listens, and how many connections are open.
    public var activity: String? {
        guard let address = state.sockets?.address else { return nil }
        if case .accepting = state { return "\(openConnections) at \(address)" }
        return "\(openConnections), accepts none at \(address)"
    }

    private var openConnections: String { "\(connections.count) connection\(connections.count == 1 ? "" : "s")" }
}

extension ConnectionServer {
    private func launch(_ notification: LifecycleNotification) throws(SystemError) {
        let sockets = try ServerSockets(address(notification), descriptors)
        sockets.refuse()
        state = .refusing(sockets)
    }

    /// - Returns: what it did; nil if it accepts already.
    private func becomeActive(at address: ServerAddress) throws(SystemError) -> String? {
        task = nil
        let sockets: ServerSockets
        switch state {
        case .closed, .accepting: return nil
        case .refusing(let bound), .failed(let bound?, _): sockets = bound
        case .failed(nil, _): sockets = try ServerSockets(address, descriptors)
        }
        do throws(SystemError) {
            try accept(on: sockets)
        } catch {
            state = .failed(sockets, error)
            throw error
        }
        state = .accepting(sockets)
        limit()
        return "accepts connections at \(sockets.address)"
    }

    /// At a stop, goes on accepting for the quiet period, which what it returns ends.
    private func resignActive(
        after quietPeriod: Duration, _ notification: LifecycleNotification, _ progress: ListenerProgress,
        _ completion: @escaping (AnswerEnd) -> Void
    ) -> () -> Void {
        guard notification.trigger == .stop, case .accepting = state else {
            completion(AnswerEnd(.completed, resignActive().workSummary))
            return {}
        }
        let clock = mediator.clock
        let stop = mediator.pendingTransitions.first?.began ?? clock.monotonic
        // Later the answer would be late, and open connections need time after it.
        let longest = min(progress.timeLeft * 9 / 10, (mediator.remainingTime ?? .zero) / 2)
        let period = QuietPeriod(quietPeriod, atMost: longest, clock) { [unowned self] in
            // Without room clients may wait.
            hasRoom ? max(lastAccepted, stop) : clock.monotonic
        } onEnd: { [weak self] said in
            guard let self, quiet != nil else { return }
            quiet = nil
            let work = [said, resignActive()].compactMap(\.self).joined(separator: ", ")
            completion(AnswerEnd(.completed, WorkSummary(work)))
        }
        quiet = period
        period.check()
        return { period.end("it was cut short") }
    }

    private func resignActive() -> String? {
        if let sockets = state.sockets {
            sockets.refuse()
            state = .refusing(sockets)
        }
        // Also those of a server that could not move back and has no socket.
        for (_, finish) in connections.values { finish() }
        let accepts = state.sockets.map { "accepts no connections at \($0.address)" }
        guard !connections.isEmpty else { return accepts }
        task = mediator.beginBackgroundTask(
            named: "connections of \(name)", deadline: mediator.deadlines.listener)
        return [accepts, "asked \(openConnections) to finish"].compactMap(\.self).joined(separator: ", ")
    }

    private func shutDown() -> String? {
        if connections.isEmpty { return nil }
        for (connection, _) in connections.values { connection.shutDown() }
        return "shut down \(openConnections)"
    }

    private func check(_ new: ServerAddress) throws {
        guard let sockets = state.sockets, sockets.address != new else { return }
        for case .systemd in [sockets.address, new] {
            throw LifecycleRefusal("unable to move from '\(sockets.address)' to '\(new)' without a restart")
        }
        _ = try ServerSockets(new, descriptors)
    }

    private func move(to new: ServerAddress) throws(SystemError) -> String? {
        if case .failed(let old, _) = state, old == nil || old?.address == new { return try becomeActive(at: new) }
        guard let old = state.sockets, old.address != new else { return nil }
        let moved = try ServerSockets(new, descriptors)
        if case .refusing = state {
            moved.refuse()
            state = .refusing(moved)
        } else {
            try accept(on: moved)
            // In this order, so that the limit holds for what still waits at the old address.
            old.refuse()
            state = .accepting(moved)
            limit()
        }
        return "moved from \(old.address) to \(new)"
    }

    /// Moves back after a refused reload. If that is not possible, nobody is served at the refused address.
    private func moveBack(to old: ServerAddress) throws(SystemError) -> String? {
        do throws(SystemError) {
            return try move(to: old)
        } catch {
            // Here, and not by their release within the change of the state: it accepts the clients that wait.
            state.sockets?.refuse()
            state = .failed(nil, error)
            throw error
        }
    }

    private func accept(on sockets: ServerSockets) throws(SystemError) {
        try sockets.accept(on: loop) { [weak self] in
            if let self { accepted($0) } else { close($0) }
        } onError: { [weak self] in
            if let self { report("\($0), trying again", &loggedUsec) }
        }
    }

    private func accepted(_ number: Int32) {
        let connection = ServerConnection(number, on: loop) { [weak self] in self?.ended($0) }
        let id = ObjectIdentifier(connection)
        connections[id] = (connection, {})
        acceptedMetric.count(1)
        lastAccepted = mediator.clock.monotonic
        do {
            let finish = try handler(connection)
            if connections[id] != nil {
                connections[id]?.finish = finish
                // The handler may have stopped the service, which has asked the others.
                if case .refusing = state { finish() }
            }
        } catch {
            report("unable to serve a connection: \(error)", &loggedUsec)
            connection.end()
        }
        limit()
    }

    private func ended(_ connection: ServerConnection) {
        // What it held is released after the change.
        _ = connections.removeValue(forKey: ObjectIdentifier(connection))
        limit()
        if connections.isEmpty { task?.end() }
    }

    private var hasRoom: Bool { connections.count < connectionsMax }

    /// Accepts as long as there is room.
    private func limit() {
        openMetric.set(Double(connections.count))
        guard case .accepting(let sockets) = state else { return }
        guard sockets.isEnabled != hasRoom else { return }
        sockets.isEnabled = hasRoom
        if !hasRoom { report("connectionsMax is reached with \(openConnections), further clients wait", &fullUsec) }
    }

    /// Logs a problem that was not logged in the last ten seconds.
    private func report(_ problem: String, _ lastUsec: inout UInt64?) {
        let now = mediator.clock.now.monotonicUsec
        if let lastUsec, now - lastUsec < 10_000_000 { return }
        lastUsec = now
        log.write(.warning, "\(name): \(problem)", .client)
    }
}
