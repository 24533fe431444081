// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// A pause that outlives the process.
@Suite(.timeLimit(.minutes(2)))
struct KeptPauseTests {
    let fixture = DaemonFixture()

    /// Starts a service, pauses it with a client, and ends it.
    private func pauseAndEnd(with signal: Int32) throws {
        let service = try fixture.startReady("ServiceProbe", ["plain"])
        #expect(try fixture.control(["pause"]).lines == ["paused (background)"])
        service.send(signal)
        _ = service.finish()
        while fixture.manager.hasDatagram { _ = fixture.manager.next() }
    }

    @Test(arguments: [SIGKILL, SIGTERM, SIGQUIT])
    func serviceIsLaunchedIntoTheBackgroundUntilItIsContinued(_ signal: Int32) throws {
        try pauseAndEnd(with: signal)

        let service = try fixture.start("ServiceProbe", ["plain"])
        let names = service.lines(until: "didEnterBackground inactive -> background").filter { $0.contains(" -> ") }
        let ready = fixture.manager.messages(until: "READY=1").last ?? []
        let status = try fixture.control(["status"]).lines
        let isActive = try fixture.control(["is-active"]).status

        #expect(!names.contains { $0.contains("didBecomeActive") })
        #expect(ready.dropFirst().first?.hasPrefix("STATUS=paused (background) by ") == true)
        #expect(ready.dropFirst().first?.contains("belfryctl") == true)
        #expect(status.contains { $0.hasPrefix("    Last word: paused ") && $0.contains("belfryctl") })
        #expect(status.contains { $0.hasPrefix("       Launch: ") && $0.contains("; into the background") })
        #expect(isActive != 0)
        #expect(try fixture.control(["resume"]).lines == ["active"])
        service.send(SIGKILL)
        _ = service.finish()
        let next = try fixture.startReady("ServiceProbe", ["plain"])
        #expect(try fixture.control(["is-active"]).status == 0)
        #expect(next.stop().status == 0)
    }

    @Test func readinessWaitsForEveryListener() throws {
        try pauseAndEnd(with: SIGKILL)

        let service = try fixture.start("ServiceProbe", ["slowPause=2"])
        let messages = fixture.manager.messages(until: "READY=1")

        #expect(messages.contains { $0.last?.hasPrefix("STATUS=launching, waiting for 'probe'") == true })
        #expect(service.stop().status == 0)
    }

    @Test(arguments: [[:], ["WATCHDOG_USEC": "30000000"]])
    func processStopsItselfAgainAfterItIsReady(watchdog: [String: String]) throws {
        try pauseAndEnd(with: SIGKILL)

        let service = try fixture.start(
            "ServiceProbe", ["plain"], "[Service]\nStopOnPause=yes\n", environment: watchdog)
        try service.wait(for: "T")
        let messages = fixture.manager.messages(until: "STATUS=suspended until SIGCONT").compactMap(\.first)

        let life = messages.filter { $0 == "READY=1" || $0.hasPrefix("WATCHDOG_USEC=") || $0 == "BARRIER=1" }
        #expect(life == ["READY=1"] + watchdog.keys.map { "\($0)=0" } + ["BARRIER=1"])
        service.send(SIGCONT)
        service.lines(until: "didBecomeActive inactive -> active, SIGCONT")
        #expect(service.stop().status == 0)
        #expect(!FileManager.default.fileExists(atPath: fixture.directory.path("run/paused")))
    }
}
