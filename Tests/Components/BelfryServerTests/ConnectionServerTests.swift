// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryLinux
import BelfryMetricRegistry
import BelfryServer
import BelfrySystemd
import BelfryTesting
import CBelfry
import FoundationEssentials
import Glibc
import LifecycleTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConnectionServerTests {
    let directory = try! TemporaryDirectory()  // Without it, no test can do anything.

    enum Kind: CaseIterable { case port, path }

    private func address(_ kind: Kind, _ name: String = "socket") throws -> ServerAddress {
        switch kind {
        case .port: .port(try LoopbackSocket.freePort())
        case .path: .path(directory.path(name))
        }
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
        let service = try ServerFixture.active(at: address(kind))

        for number in 1...3 {
            service.perform(.pause)
            #expect(TestClient(service.address).isRefused)
            service.perform(.resume)
            let client = TestClient(service.address)
            try service.accept(number)
            #expect(!client.isRefused)
            service.accepted.last?.end()
        }
        service.perform(.stop)
        #expect(TestClient(service.address).isRefused)
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
        let service = try ServerFixture.active(at: address(kind))
        let clients = (0..<5).map { _ in TestClient(service.address) }
        #expect(clients.allSatisfy { !$0.isRefused } && service.accepted.isEmpty)

        service.perform(.pause)

        #expect(service.accepted.count == 5 && service.asked == 5)
    }

    @Test func pauseWaitsForConnections() throws {
        let service = try ServerFixture.active(at: address(.path))
        let client = try service.connect()

        service.perform(.pause)
        #expect(service.asked == 1 && service.mediator.state == .inactive && !client.isEnded)
        #expect(service.server?.activity == "1 connection, accepts none at \(service.address)")
        service.accepted[0].end()

        #expect(service.mediator.state == .background && client.isEnded)
    }

    @Test func connectionThatDoesNotEndInTimeIsCutOffAndCounted() throws {
        let service = try ServerFixture.active(at: address(.path))
        let client = try service.connect()
        var works: [String?] = []
        let observation = service.mediator.addEventObserver(for: .listenerWorked) {
            if case .listenerWorked(let report, _) = $0 { works.append(report.work?.text) }
        }

        service.perform(.pause)
        service.clock.advance(by: .seconds(10))

        #expect(service.mediator.state == .background && client.isEnded)
        #expect(works.last == "shut down 1 connection")
        observation.cancel()
    }

    /// The end of the last connection begins the resume, which the server answers within the call.
    @Test func serviceThatIsResumedWhileAConnectionFinishesAcceptsAfterIt() throws {
        let service = try ServerFixture.active(at: address(.path))
        let client = try service.connect()
        service.perform(.pause, .resume)
        #expect(service.mediator.state == .inactive)

        service.accepted[0].end()

        #expect(service.mediator.state == .active && client.isEnded)
        #expect(try !service.connect().isEnded)
    }

    @Test(arguments: [LifecycleTrigger.pause, .stop])
    func connectionThatDoesNotFinishIsShutDownAtTheDeadline(trigger: LifecycleTrigger) throws {
        let service = try ServerFixture.active(at: address(.path))
        let client = try service.connect()

        service.perform(trigger)
        #expect(service.mediator.state == .inactive && !client.isEnded)
        service.clock.advance(by: service.mediator.deadlines.listener)

        #expect(service.mediator.state == (trigger == .stop ? .notRunning : .background) && client.isEnded)
    }

    @Test func interruptionRefusesAndKeepsConnections() throws {
        let service = try ServerFixture.active(at: address(.port))
        let client = try service.connect()

        service.perform(.interrupt)
        service.clock.advance(by: .seconds(60))
        #expect(TestClient(service.address).isRefused && !client.isEnded)
        service.perform(.resume)

        #expect(!client.isEnded && !TestClient(service.address).isRefused)
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
        let service = try ServerFixture.active(at: address(.path))
        let waiting = TestClient(service.address)

        try service.removeServer()

        #expect(waiting.isEnded)
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

            try expectConversation(service)
        }
    }

    @Test(arguments: Kind.allCases) func pauseAfterAnInterruptionRefusesOnce(kind: Kind) throws {
        let address = try address(kind)
        let service = try ServerFixture(at: address)

        service.perform(.launch, .interrupt, .pause, .resume)

        try expectConversation(service)
    }

    /// A client is accepted, and what it sends arrives.
    private func expectConversation(_ service: ServerFixture) throws {
        let client = try service.connect()
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
        let service = try ServerFixture.active(at: address(.port), connectionsMax: 2)
        let clients = (0..<3).map { _ in TestClient(service.address) }

        try service.accept(2)
        try service.loop.turnWithoutWaiting()
        #expect(service.accepted.count == 2 && clients.allSatisfy { !$0.isRefused })
        service.accepted[0].end()

        try service.accept(3)
        #expect(service.open == 2)
    }

    @Test func reachedLimitHasARecordUntilThereIsRoom() throws {
        let service = try ServerFixture.active(at: address(.port), connectionsMax: 1)
        func records() -> Int { service.writer.records.count { $0.message.description == full } }
        let full = "echo: connectionsMax is reached with 1 connection, further clients wait"
        let clients = (0..<3).map { _ in TestClient(service.address) }

        try service.accept(1)
        #expect(records() == 1)
        service.accepted[0].end()
        try service.accept(2)
        #expect(records() == 1)
        service.clock.advance(by: .seconds(10))
        service.accepted[1].end()
        try service.accept(3)

        #expect(records() == 2 && clients.count == 3)
    }

    @Test func serverThatCannotListenAgainIsUnhealthyUntilItCan() throws {
        let service = try ServerFixture.active(at: address(.path))
        service.perform(.pause)
        let (folder, moved) = (directory.url.path, directory.url.path + "-moved")
        rename(folder, moved)

        service.perform(.resume)
        let reason = "unable to listen on '\(service.address)': No such file or directory (ENOENT)"
        #expect(service.server?.health == .unhealthy(reason))
        rename(moved, folder)
        service.perform(.pause, .resume)

        #expect(service.server?.health == .healthy && !TestClient(service.address).isRefused)
    }
}
