// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySystemd
import Lifecycle
import BelfrySocket
import LifecycleTesting
import TestSupport
import Testing
import Varlink

/// Concurrent requests for the same work are merged.
@Suite(.timeLimit(.minutes(1)))
struct MergedRequestTests {
    private final class Refreshes {
        var asked: [(UnitTimeouts?) -> Void] = []
    }

    let fixture: SocketFixture
    private let refreshes = Refreshes()
    private var asked: [(UnitTimeouts?) -> Void] { refreshes.asked }

    init() throws { fixture = try SocketFixture(refreshTimeouts: { [refreshes] in refreshes.asked.append($0) }) }

    private func explain() throws -> ReplyRecorder {
        let request = try fixture.more("Explain", ["signal": "HUP"])
        try fixture.loop.turnWithoutWaiting()
        return request
    }

    @Test func concurrentExplainRequestsAreMerged() throws {
        let requests = try (0..<5).map { _ in try explain() }
        #expect(asked.count == 1)
        asked[0](nil)
        try fixture.turn { requests[0].isOver }
        #expect(asked.count == 2)
        asked[1](nil)
        try fixture.turn { requests.allSatisfy(\.isOver) }

        #expect(requests.allSatisfy { $0.replies.count == 1 })
        #expect(asked.count == 2)
    }

    @Test func concurrentDryRunsAreMerged() throws {
        let guards = try fixture.attach(["willReload"])
        var reads = 0
        fixture.readConfiguration = { [unowned fixture] in
            reads += 1
            return fixture.mediator.configuration
        }

        let requests = try (0..<5).map { _ in
            let request = try fixture.more("Reload", ["dryRun": true])
            try fixture.loop.turnWithoutWaiting()
            return request
        }
        try fixture.answer(guards, 1, "completed")
        try fixture.turn { requests[0].isOver }
        try fixture.answer(guards, 2, "refused")
        try fixture.turn { requests.allSatisfy(\.isOver) }

        #expect(reads == 2)
        let reports = requests[0].replies.first?["reports"]?.arrayValue ?? []
        #expect(reports.contains { $0["listener"] == "guard" && $0["outcome"] == "completed" })
        let refusal = ["guard: no reason given"] as JSONValue
        #expect(requests.dropFirst().allSatisfy { $0.errorParameters?["reasons"] == refusal })
    }
}
