// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(2)))
struct ServiceGroupProcessTests {
    let fixture = DaemonFixture()

    private func startReady(_ manner: String) throws -> ProbeProcess {
        try fixture.startReady("ServiceGroupProbe", [manner])
    }

    @Test func failureStopsInOrderAndFailsTheUnit() throws {
        let service = try startReady("fail")

        service.send(SIGUSR1)
        let (lines, status) = service.finish()

        #expect(fixture.manager.nextOfLife().first == "STOPPING=1")
        #expect(lines.contains("service a has shut down"))
        #expect(lines.contains("probe: failed: service 'b': the disk is on fire"))
        #expect(lines.first { $0.contains("willTerminate background") }?.hasSuffix(", reason failed") == true)
        #expect(status == 70)
    }

    @Test func failureDuringTheShutdownFailsTheUnit() throws {
        let service = try startReady("failLate")

        let (lines, status) = service.stop()

        #expect(lines.contains("service a has shut down"))
        #expect(lines.contains("probe: failed: service 'b': the disk is on fire"))
        #expect(!lines.contains { $0.contains("did not wait") })
        #expect(status == 70)
    }

    @Test func groupThatReadsSignalsItselfDegradesTheHealth() throws {
        let service = try startReady("nested")

        let lines = service.lines(until: "is degraded")

        let reason = "another part of the program reads SIGTERM (stop), the service may not get them"
        #expect(lines.last?.hasSuffix("listener 'configuration' is degraded: \(reason)") == true)
        // Either of the two gets the signal, and ends the service.
        #expect(service.stop().status == 0)
    }
}
