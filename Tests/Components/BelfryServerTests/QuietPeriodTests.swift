// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServer
import BelfryTesting
import LifecycleTesting
import TestSupport
import Testing

/// A stop of a server that goes on accepting until no client has come for four seconds.
@Suite(.timeLimit(.minutes(1)))
struct QuietPeriodTests {
    let directory = try! TemporaryDirectory()  // Without it, no test can do anything.
    /// The reports of the stop.
    let stop = Reports()

    final class Reports {
        var all: [ListenerReport] = []
        /// What the server has said about its end.
        var work: String? { all.first?.work?.text }
        var problems: [ListenerReport] { all.filter(\.outcome.isProblem) }
    }

    /// Answers `willResignActive` when the test says so. It is called before the server.
    final class SlowListener: LifecycleListener {
        let name = "slow"
        private(set) var finish: () -> Void = {}

        var answers: [LifecycleAnswer] {
            onCompletion(.willResignActive) { [self] _, completion in
                finish = { completion(.success(())) }
                return {}
            }
        }
    }

    private func service(connectionsMax: Int = 100) throws -> ServerFixture {
        try .active(
            at: .path(directory.path("socket")), connectionsMax: connectionsMax, quietPeriod: .seconds(4))
    }

    private func begin(_ service: ServerFixture, _ trigger: LifecycleTrigger = .stop) {
        service.mediator.perform(trigger) { [stop] in stop.all = $0.notifications.flatMap(\.listeners) }
    }

    /// A client comes, is served and leaves.
    private func serve(_ service: ServerFixture) throws {
        let client = TestClient(service.address)
        try service.accept(service.accepted.count + 1)
        service.accepted.last?.end()
        #expect(client.isEnded)
    }

    @Test func stopAcceptsUntilNoClientHasComeForTheQuietPeriod() throws {
        let service = try service()

        begin(service)
        service.clock.advance(by: .milliseconds(3999))
        #expect(service.mediator.state == .active && service.mediator.pending == ["echo"])
        service.clock.advance(by: .milliseconds(1))

        #expect(service.mediator.state == .notRunning && TestClient(service.address).isRefused)
        let work = "accepted connections until none came for 4000 ms, accepts no connections at \(service.address)"
        #expect(stop.work == work && stop.problems.isEmpty)
    }

    @Test func newConnectionRestartsTheQuietPeriod() throws {
        let service = try service()

        begin(service)
        service.clock.advance(by: .seconds(3))
        try serve(service)
        service.clock.advance(by: .milliseconds(3999))
        #expect(service.mediator.state == .active)
        service.clock.advance(by: .milliseconds(1))

        #expect(service.mediator.state == .notRunning && TestClient(service.address).isRefused)
        #expect(stop.work?.hasPrefix("accepted connections until none came for 4000 ms, ") == true)
    }

    /// Twice the quiet period, less a tenth; half of the stop, if that is less. Then open connections are served.
    @Test(arguments: [(25, 7200), (6, 3000)])
    func clientsThatGoOnComingAreAcceptedUntilTheShareIsUsedUp(_ stopSeconds: Int, _ longest: Int) throws {
        let service = try service()
        service.mediator.deadlines.stop = .seconds(stopSeconds)

        begin(service)
        for _ in 1..<longest / 100 {
            service.clock.advance(by: .milliseconds(100))
            try serve(service)
        }
        let client = TestClient(service.address)
        try service.accept(longest / 100)
        service.clock.advance(by: .milliseconds(100))

        #expect(TestClient(service.address).isRefused && !client.isEnded && service.asked == 1)
        #expect(service.mediator.pending == ["connections of echo"])
        service.accepted.last?.end()
        #expect(service.mediator.state == .notRunning && stop.problems.isEmpty)
        #expect(stop.work?.hasPrefix("accepted connections until the time was up, ") == true)
    }

    @Test func secondStopEndsItAtOnce() throws {
        let service = try service()
        let client = try service.connect()

        begin(service)
        #expect(!client.isEnded && service.asked == 0)
        service.perform(.stop)

        #expect(service.mediator.state == .notRunning && service.asked == 1)
        #expect(TestClient(service.address).isRefused && client.isEnded)
        #expect(service.clock.pendingTimers == 0)
    }

    @Test(arguments: [LifecycleTrigger.pause, .interrupt])
    func onlyAStopWaits(trigger: LifecycleTrigger) throws {
        let service = try service()

        begin(service, trigger)
        #expect(service.mediator.state != .active && TestClient(service.address).isRefused)
        #expect(stop.work == "accepts no connections at \(service.address)")
        service.perform(.resume)
        #expect(!TestClient(service.address).isRefused)
    }

    @Test func stopOfAPausedServiceWaitsForNothing() throws {
        let service = try service()

        service.perform(.pause, .stop)

        #expect(service.mediator.state == .notRunning)
    }

    @Test func timeOfTheListenersBeforeItCounts() throws {
        let service = try service()
        let slow = SlowListener()
        try service.mediator.addListener(slow)

        begin(service)
        service.clock.advance(by: .seconds(3))
        slow.finish()
        #expect(service.mediator.pending == ["echo"])
        service.clock.advance(by: .seconds(1))

        #expect(service.mediator.state == .notRunning)
    }

    @Test func clientsThatWaitForRoomAreServed() throws {
        let service = try service(connectionsMax: 1)
        let clients = (0..<2).map { _ in TestClient(service.address) }
        try service.accept(1)

        begin(service)
        service.clock.advance(by: .seconds(6))
        #expect(service.mediator.state == .active)
        service.accepted[0].end()
        try service.accept(2)
        service.accepted[1].end()
        service.clock.advance(by: .seconds(4))

        #expect(service.mediator.state == .notRunning && clients.allSatisfy(\.isEnded))
    }
}
