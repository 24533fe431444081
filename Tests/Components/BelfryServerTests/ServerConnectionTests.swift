// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryLinux
import BelfryMetricRegistry
import BelfryServer
import BelfrySystemd
import BelfryTesting
import CBelfry
import Glibc
import LifecycleTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ServerConnectionTests {
    let directory = try! TemporaryDirectory()  // Without it, no test can do anything.

    private var address: ServerAddress { .path(directory.path("socket")) }

    @Test func watchMayBeReplacedAndTheConnectionHandedOverInItsHandler() throws {
        var calls: [String] = []
        var copy: OwnedDescriptor?
        var kept: DescriptorEventSource?
        let service = try ServerFixture.active(at: address) { connection in
            kept = try connection.watch { _ in
                calls.append("first")
                _ = try? connection.watch { _ in
                    calls.append("second")
                    copy = (try? connection.duplicate()).map { OwnedDescriptor(owning: $0) }
                    connection.end()
                }
            }
        }
        let client = TestClient(service.address)
        try client.send("x")
        try service.loop.turn { calls.count == 2 }

        try client.send("y")
        for _ in 0..<3 { try service.loop.turn(waiting: .milliseconds(1)) }

        #expect(calls == ["first", "second"] && copy != nil && kept?.isCancelled == true)
    }

    @Test func connectionMayBeEndedAgainByWhatItsEndReleases() throws {
        final class Client {
            let connection: ServerConnection
            init(_ connection: ServerConnection) throws {
                self.connection = connection
                try connection.watch { [self] _ in _ = self }
            }
            isolated deinit { connection.end() }
        }
        let service = try ServerFixture.active(at: address) { _ = try Client($0) }
        let client = try service.connect()

        service.accepted[0].end()

        #expect(client.isEnded && service.server?.connectionCount == 0)
    }

    @Test func connectionWhoseHandlerPausesTheServiceIsAskedToFinish() throws {
        var mediator: LifecycleMediator?
        let service = try ServerFixture.active(at: address) { _ in mediator?.perform(.pause) }
        mediator = service.mediator
        let client = try service.connect()

        #expect(service.asked == 1 && service.mediator.state == .inactive && !client.isEnded)
        service.accepted[0].end()

        #expect(service.mediator.state == .background)
    }

    @Test func handlerThatFailsEndsItsConnectionAndIsLogged() throws {
        let service = try ServerFixture.active(at: address) { _ in throw LifecycleRefusal("no room") }
        let clients = [TestClient(service.address), TestClient(service.address)]

        try service.accept(2)

        #expect(clients.allSatisfy(\.isEnded) && service.open == 0)
        // One in ten seconds.
        #expect(service.writer.records.map(\.message.description) == ["echo: unable to serve a connection: no room"])
    }

    @Test func connectionsAreCounted() throws {
        let service = try ServerFixture.active(at: address)
        let clients = (0..<3).map { _ in TestClient(service.address) }
        try service.accept(3)
        service.accepted[0].end()
        service.accepted[0].end()

        let values = service.metrics.families.map { ($0.name, $0.points.map(\.value)) }
        #expect(clients.count == 3 && values.map(\.0) == ["server_connections", "server_connections_accepted"])
        #expect(values.map(\.1) == [[2], [3]])
    }

    @Test func copyOfADescriptorOutlivesTheConnection() throws {
        let service = try ServerFixture.active(at: address)
        let client = try service.connect()

        let copy = OwnedDescriptor(owning: try service.accepted[0].duplicate())
        service.accepted[0].end()

        #expect(service.accepted[0].descriptor == -1 && !client.isEnded && send(copy.number, "x", 1, 0) == 1)
        #expect(throws: SystemError.self) { try service.accepted[0].duplicate() }
    }

    /// A handler often refers to its connection.
    @Test func endedConnectionReleasesItsHandler() throws {
        final class Kept {}
        weak var kept: Kept?
        let service = try ServerFixture.active(at: address) { connection in
            let made = Kept()
            kept = made
            try connection.watch { _ in withExtendedLifetime(made) { connection.end() } }
        }
        let client = try service.connect()
        #expect(kept != nil)

        service.accepted[0].end()

        #expect(kept == nil && client.isEnded)
    }

    @Test func watchedConnectionMayEndInItsHandler() throws {
        var received: [Int] = []
        let service = try ServerFixture.active(at: address) { connection in
            try connection.watch { _ in
                var bytes = [UInt8](repeating: 0, count: 8)
                received.append(recv(connection.descriptor, &bytes, bytes.count, 0))
                connection.end()
            }
        }
        let (speaking, leaving) = (TestClient(service.address), belfry_unix_connect(service.address.description))
        try speaking.send("hello")
        close(leaving)

        try service.loop.turn { received.count == 2 }

        #expect(Set(received) == [5, 0] && service.open == 0 && speaking.isEnded)
    }
}
