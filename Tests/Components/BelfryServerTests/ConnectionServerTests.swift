// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryLinux
import BelfryListeners
import BelfryMetricRegistry
import BelfryServer
import BelfryTesting
import BelfrySystemd
import CBelfry
import FoundationEssentials
import Glibc
import LifecycleTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConnectionServerTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    enum Kind: CaseIterable { case port, path }

    private func address(_ kind: Kind, _ name: String = "socket") throws -> ServerAddress {
        switch kind {
        case .port: .port(try LoopbackSocket.freePort())
        case .path: .path(directory.path(name))
        }
    }

    /// An active service.
    private func launched(
        _ kind: Kind, connectionsMax: Int = 100, _ handler: @escaping (ServerConnection) throws -> Void = { _ in }
    ) throws -> (ServerFixture, ServerAddress) {
        let address = try address(kind)
        let service = try ServerFixture(at: address, connectionsMax: connectionsMax, handler)
        service.perform(.launch)
        return (service, address)
    }

    /// A client that the service has accepted, and no other.
    private func connect(_ service: ServerFixture, _ address: ServerAddress) throws -> TestClient {
        let client = TestClient(address)
        try service.accept(1)
        return client
    }

    @Test(arguments: Kind.allCases) func acceptsWhileActive(kind: Kind) throws {
        let address = try address(kind)
        let service = try ServerFixture(at: address)
        #expect(TestClient(address).isRefused)

        service.perform(.launch)
        let client = TestClient(address)

        try service.accept(1)
        #expect(!client.isRefused && service.server?.activity == "1 connection at \(address)")
    }

    @Test(arguments: Kind.allCases) func refusesInAPauseAndAcceptsAfterIt(kind: Kind) throws {
        let (service, address) = try launched(kind)

        for number in 1...3 {
            service.perform(.pause)
            #expect(TestClient(address).isRefused)
            service.perform(.resume)
            let client = TestClient(address)
            try service.accept(number)
            #expect(!client.isRefused)
            service.accepted.last?.end()
        }
        service.perform(.stop)
        #expect(TestClient(address).isRefused)
        #expect(service.mediator.listeners.allSatisfy { $0.record.failures == 0 })
    }

    @Test func portStaysTakenInAPause() throws {
        let port = try LoopbackSocket.freePort()
        let service = try ServerFixture(at: .port(port))
        service.perform(.launch, .pause)

        #expect(belfry_tcp_bind("127.0.0.1", port) == -EADDRINUSE)

        service.perform(.resume)
        #expect(!TestClient(.port(port)).isRefused)
    }

    @Test(arguments: Kind.allCases) func waitingClientsAreAcceptedBeforeOthersAreRefused(kind: Kind) throws {
        let (service, address) = try launched(kind)
        let clients = (0..<5).map { _ in TestClient(address) }
        #expect(clients.allSatisfy { !$0.isRefused } && service.accepted.isEmpty)

        service.perform(.pause)

        #expect(service.accepted.count == 5 && service.asked == 5)
    }

    @Test func pauseWaitsForConnections() throws {
        let (service, address) = try launched(.path)
        let client = try connect(service, address)

        service.perform(.pause)
        #expect(service.asked == 1 && service.mediator.state == .inactive && !client.isEnded)
        #expect(service.server?.activity == "1 connection, accepts none at \(address)")
        service.accepted[0].end()

        #expect(service.mediator.state == .background && client.isEnded)
    }

    @Test(arguments: [LifecycleTrigger.pause, .stop])
    func connectionThatDoesNotFinishIsShutDownAtTheDeadline(trigger: LifecycleTrigger) throws {
        let (service, address) = try launched(.path)
        let client = try connect(service, address)

        service.perform(trigger)
        #expect(service.mediator.state == .inactive && !client.isEnded)
        service.clock.advance(by: service.mediator.deadlines.listener)

        #expect(service.mediator.state == (trigger == .stop ? .notRunning : .background) && client.isEnded)
    }

    @Test func interruptionRefusesAndKeepsConnections() throws {
        let (service, address) = try launched(.port)
        let client = try connect(service, address)

        service.perform(.interrupt)
        service.clock.advance(by: .seconds(60))
        #expect(TestClient(address).isRefused && !client.isEnded)
        service.perform(.resume)

        #expect(!client.isEnded && !TestClient(address).isRefused)
    }

    @Test(arguments: Kind.allCases) func launchUnderWayRefuses(_ kind: Kind) throws {
        let address = try address(kind)
        let service = try ServerFixture(at: address)
        let slow = RecordingListener("slow", [.didFinishLaunching], behavior: .waiting)
        try service.mediator.addListener(slow)

        service.perform(.launch)

        #expect(service.mediator.state != .active && TestClient(address).isRefused)
        slow.finish()
    }

    @Test func clientsOfAServerThatIsGoneAreDisconnected() throws {
        let (service, address) = try launched(.path)
        let waiting = TestClient(address)

        try service.removeServer()

        #expect(waiting.isEnded)
    }

    @Test func watchMayBeReplacedAndTheConnectionHandedOverInItsHandler() throws {
        let address = try address(.path)
        var calls: [String] = []
        var copy: OwnedDescriptor?
        var kept: DescriptorEventSource?
        let service = try ServerFixture(at: address) { connection in
            kept = try connection.watch { _ in
                calls.append("first")
                _ = try? connection.watch { _ in
                    calls.append("second")
                    copy = (try? connection.duplicate()).map { OwnedDescriptor(owning: $0) }
                    connection.end()
                }
            }
        }
        service.perform(.launch)
        let client = TestClient(address)
        try client.send("x")
        try service.loop.turn { calls.count == 2 }

        try client.send("y")
        for _ in 0..<3 { try service.loop.turn(waiting: .milliseconds(1)) }

        #expect(calls == ["first", "second"] && copy != nil && kept?.isCancelled == true)
    }

    @Test func pausedLaunchRefusesUntilItIsContinued() throws {
        for kind in Kind.allCases {
            let address = try address(kind)
            let service = try ServerFixture(at: address)
            var options = LaunchOptions()
            options.isPaused = true

            service.mediator.perform(.launch, userInfo: options.userInfo)
            #expect(service.mediator.state == .background && TestClient(address).isRefused)
            service.perform(.resume)

            try expectConversation(service, address)
        }
    }

    @Test(arguments: Kind.allCases) func pauseAfterAnInterruptionRefusesOnce(kind: Kind) throws {
        let address = try address(kind)
        let service = try ServerFixture(at: address)

        service.perform(.launch, .interrupt, .pause, .resume)

        try expectConversation(service, address)
    }

    /// A client is accepted, and what it sends arrives.
    private func expectConversation(_ service: ServerFixture, _ address: ServerAddress) throws {
        let client = TestClient(address)
        try service.accept(1)
        var bytes = [UInt8](repeating: 0, count: 8)
        try client.send("hello")
        var ready = pollfd(fd: service.accepted[0].descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&ready, 1, 10_000) == 1)
        #expect(recv(service.accepted[0].descriptor, &bytes, 8, 0) == 5 && !client.isEnded)
    }

    @Test(arguments: Kind.allCases) func launchIsRefusedIfTheAddressIsTaken(kind: Kind) throws {
        let address = try address(kind)
        let other = try ServerFixture(at: address)
        other.perform(.launch)
        let service = try ServerFixture(at: address)

        let problems = service.problems(of: .launch)

        #expect(problems == ["unable to listen on '\(address)': Address already in use (EADDRINUSE)"])
        #expect(service.mediator.state == .notRunning && !TestClient(address).isRefused)
    }

    @Test func furtherClientsWaitForRoom() throws {
        let (service, address) = try launched(.port, connectionsMax: 2)
        let clients = (0..<3).map { _ in TestClient(address) }

        try service.accept(2)
        try service.loop.turnWithoutWaiting()
        #expect(service.accepted.count == 2 && clients.allSatisfy { !$0.isRefused })
        service.accepted[0].end()

        try service.accept(3)
        #expect(service.open == 2)
    }

    @Test func serverThatCannotListenAgainIsUnhealthyUntilItCan() throws {
        let address = try address(.path)
        let service = try ServerFixture(at: address)
        service.perform(.launch, .pause)
        let (folder, moved) = (directory.url.path, directory.url.path + "-moved")
        rename(folder, moved)

        service.perform(.resume)
        let reason = "unable to listen on '\(address)': No such file or directory (ENOENT)"
        #expect(service.server?.health == .unhealthy(reason))
        rename(moved, folder)
        service.perform(.pause, .resume)

        #expect(service.server?.health == .healthy && !TestClient(address).isRefused)
    }

    @Test func handlerThatFailsEndsItsConnectionAndIsLogged() throws {
        let (service, address) = try launched(.path) { _ in throw LifecycleRefusal("no room") }
        let clients = [TestClient(address), TestClient(address)]

        try service.accept(2)

        #expect(clients.allSatisfy(\.isEnded) && service.open == 0)
        // One in ten seconds.
        #expect(service.writer.records.map(\.message.description) == ["echo: unable to serve a connection: no room"])
    }

    @Test func connectionsAreCounted() throws {
        let (service, address) = try launched(.path)
        let clients = (0..<3).map { _ in TestClient(address) }
        try service.accept(3)
        service.accepted[0].end()
        service.accepted[0].end()

        let values = service.metrics.families.map { ($0.name, $0.points.map(\.value)) }
        #expect(clients.count == 3 && values.map(\.0) == ["server_connections", "server_connections_accepted"])
        #expect(values.map(\.1) == [[2], [3]])
    }

    @Test func copyOfADescriptorOutlivesTheConnection() throws {
        let (service, address) = try launched(.path)
        let client = try connect(service, address)

        let copy = OwnedDescriptor(owning: try service.accepted[0].duplicate())
        service.accepted[0].end()

        #expect(service.accepted[0].descriptor == -1 && !client.isEnded && send(copy.number, "x", 1, 0) == 1)
        #expect(throws: SystemError.self) { try service.accepted[0].duplicate() }
    }

    /// A handler often refers to its connection.
    @Test func endedConnectionReleasesItsHandler() throws {
        final class Kept {}
        weak var kept: Kept?
        let (service, address) = try launched(.path) { connection in
            let made = Kept()
            kept = made
            try connection.watch { _ in withExtendedLifetime(made) { connection.end() } }
        }
        let client = try connect(service, address)
        #expect(kept != nil)

        service.accepted[0].end()

        #expect(kept == nil && client.isEnded)
    }

    @Test func watchedConnectionMayEndInItsHandler() throws {
        let address = try address(.path)
        var received: [Int] = []
        let service = try ServerFixture(at: address) { connection in
            try connection.watch { _ in
                var bytes = [UInt8](repeating: 0, count: 8)
                received.append(recv(connection.descriptor, &bytes, bytes.count, 0))
                connection.end()
            }
        }
        service.perform(.launch)
        let (speaking, leaving) = (TestClient(address), belfry_unix_connect(address.description))
        try speaking.send("hello")
        close(leaving)

        try service.loop.turn { received.count == 2 }

        #expect(Set(received) == [5, 0] && service.open == 0 && speaking.isEnded)
    }

    @Test func serverConforms() async throws {
        let path = directory.path("socket")
        let settings = try ServerFixture(at: .path(path))
        let failures = try await ListenerConformance(timeout: .seconds(10)).check { mediator, _ in
            ConnectionServer(
                loop: settings.loop, mediator: mediator,
                descriptors: ServiceDescriptors([], manager: .init(address: nil)),
                log: .init { [writer = settings.writer] _ in writer }, named: "echo", at: { _ in .path(path) },
                connectionsMax: 1
            ) { _ in {} }
        }

        #expect(failures == [])
    }
}
