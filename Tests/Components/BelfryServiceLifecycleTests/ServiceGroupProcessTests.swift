// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import Synchronization
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(2)))
struct ServiceGroupProcessTests {
    let fixture: DaemonFixture

    init() throws { fixture = try DaemonFixture() }

    private func start(_ manner: String) throws -> ProbeProcess {
        try fixture.start("ServiceGroupProbe", [manner])
    }

    private func startReady(_ manner: String) throws -> ProbeProcess {
        try fixture.startReady("ServiceGroupProbe", [manner])
    }

    @Test func stopEndsWithAGracefulShutdownOfTheGroup() throws {
        let service = try startReady("serve")

        let (lines, status) = service.stop()

        let last = lines.drop { !$0.contains("willTerminate") }
        #expect(last.dropFirst() == ["service b has shut down", "service a has shut down"])
        #expect(last.first?.contains("reason signal") == true)
        #expect(status == 0)
    }

    @Test func readyIsSentWhenTheServicesAreReady() throws {
        let service = try start("slow")
        #expect(fixture.manager.nextOfLife() == ["STATUS=launching"])
        service.lines(until: "service b runs")

        service.send(SIGUSR1)
        let before = service.lines(until: "flushRequested")

        #expect(!before.contains { $0.contains("didBecomeActive") })
        #expect(fixture.manager.nextOfLife() == ["READY=1", "STATUS=active"])
        #expect(service.stop().status == 0)
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

    /// `run()` of the group never returns then.
    @Test func failureFailsTheUnitAlthoughAnotherServiceIgnoresItsCancellation() throws {
        let service = try startReady("failBesideImmovable")

        service.send(SIGUSR1)
        let failure = "probe: failed: service 'b': the disk is on fire"
        #expect(service.lines(until: failure).allSatisfy { !$0.contains("willTerminate") })
        #expect(fixture.manager.nextOfLife().first == "STOPPING=1")
        let (lines, status) = service.finish()

        #expect(lines.contains { $0.contains("'serviceGroup' gave no answer to willTerminate") })
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

    @Test func groupThatFailsAtTheStartIsNeverReady() throws {
        let service = try start("refuse")

        let (lines, status) = service.finish()

        let reason = "serviceGroup: unable to start 'serviceGroup': service 'b': the disk is on fire"
        #expect(lines.contains("probe: launch refused: \(reason)"))
        #expect(status == 71)
        #expect(fixture.manager.nextOfLife() == ["STATUS=launching"])
        #expect(fixture.manager.nextOfLife().first == "EXIT_STATUS=71")
    }

    @Test func finishedGroupStopsTheService() throws {
        let service = try startReady("finish")

        service.send(SIGUSR1)
        let (lines, status) = service.finish()

        #expect(lines.first { $0.contains("willTerminate background") }?.hasSuffix(", reason finished") == true)
        #expect(status == 0)
    }
}

/// The events of services, from any thread.
nonisolated final class ServiceJournal: Sendable {
    private let written = Mutex<[String]>([])

    var lines: [String] { written.withLock { $0 } }

    func write(_ line: String) { written.withLock { $0.append(line) } }
}
