// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryLinux
import BelfryListeners
@testable import BelfryMetricRegistry
import BelfryServer
import BelfrySystemd
import BelfryTesting
import CBelfry
import Glibc
import LifecycleTesting
import TestSupport

/// A service on a manual clock with a server, whose connections wait for the test.
final class ServerFixture {
    struct Settings: Sendable {
        var listen: ServerAddress
    }

    let address: ServerAddress
    let loop: MainEventLoop
    let clock = ManualClock()
    let reloads = ReloadSource()
    let mediator: LifecycleMediator
    let writer = RecordingWriter()
    let metrics = MetricRegistry()
    let settings: SettingsHandle<Settings>
    private(set) var server: ConnectionServer?
    /// The connections that were accepted so far.
    private(set) var accepted: [ServerConnection] = []
    /// How many of them were asked to finish.
    private(set) var asked = 0

    /// - Parameters:
    ///   - received: what systemd passes as `echo`.
    ///   - handler: serves a connection besides.
    init(
        at address: ServerAddress, received: [Int32] = [], connectionsMax: Int = 100, quietPeriod: Duration? = nil,
        _ handler: @escaping (ServerConnection) throws -> Void = { _ in }
    ) throws {
        self.address = address
        loop = try MainEventLoop()
        mediator = reloads.mediator(clock: clock)
        settings = SettingsHandle(Settings(listen: address), in: mediator)
        let descriptors = ServiceDescriptors(
            received.map { ("echo", $0) }, manager: ServiceManagerSocket(address: nil))
        let server = ConnectionServer(
            loop: loop, mediator: mediator, descriptors: descriptors, log: ServiceLog { [writer] _ in writer },
            metrics: metrics, named: "echo", at: { [settings] in settings.value(in: $0).listen },
            connectionsMax: connectionsMax, quietPeriod: quietPeriod
        ) { [unowned self] connection in
            accepted.append(connection)
            try handler(connection)
            return { [weak self] in self?.asked += 1 }
        }
        try mediator.addListener(server)
        self.server = server
    }

    /// A service that is active.
    static func active(
        at address: ServerAddress, connectionsMax: Int = 100, quietPeriod: Duration? = nil,
        _ handler: @escaping (ServerConnection) throws -> Void = { _ in }
    ) throws -> ServerFixture {
        let service = try ServerFixture(
            at: address, connectionsMax: connectionsMax, quietPeriod: quietPeriod, handler)
        service.perform(.launch)
        return service
    }

    /// Releases the server.
    func removeServer() throws {
        if let server { mediator.removeListener(server) }
        server = nil
    }

    func perform(_ triggers: LifecycleTrigger...) {
        for trigger in triggers { mediator.perform(trigger) }
    }

    /// Has the next reload read another address.
    func configure(_ address: ServerAddress) {
        var configuration = mediator.configuration
        configuration[Settings.self] = Settings(listen: address)
        reloads.read = { configuration }
    }

    /// Performs a transition, and returns the problems.
    func problems(of trigger: LifecycleTrigger) -> [String] {
        var problems: [String] = []
        mediator.perform(trigger) { report in
            problems = report.notifications.flatMap { $0.listeners.compactMap(\.outcome.reason) }
        }
        return problems
    }

    /// Reloads with another address, and returns the problems.
    func reload(_ address: ServerAddress) -> [String] {
        configure(address)
        return problems(of: .reload)
    }

    /// How many connections are open, according to the metric.
    var open: Double? { metrics.families.first { $0.name == "server_connections" }?.points.first?.value }

    /// A client that the service has accepted, and no other.
    func connect() throws -> TestClient {
        let client = TestClient(address)
        try accept(1)
        return client
    }

    /// Waits until this many connections were accepted.
    func accept(_ count: Int) throws { try loop.turn { accepted.count == count } }
}

extension TestClient {
    /// Connects; the kernel accepts at once if somebody listens.
    convenience init(_ address: ServerAddress) {
        let descriptor =
            switch address {
            case .port(let port, _): LoopbackSocket.connect(port)
            case .path(let path), .systemd(let path): belfry_unix_connect(path)
            }
        self.init(OwnedDescriptor(owning: descriptor))
    }

    /// Whether nobody listened.
    var isRefused: Bool {
        guard socket.number >= 0 else { return true }
        var ready = pollfd(fd: socket.number, events: Int16(POLLOUT), revents: 0)
        return poll(&ready, 1, 1000) != 1 || ready.revents & Int16(POLLERR) != 0
    }
}
