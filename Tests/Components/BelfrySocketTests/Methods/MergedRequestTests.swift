// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import BelfrySocket
import LifecycleTesting
import TestSupport
import Testing
import Varlink

/// Concurrent requests for the same work are merged.
@Suite(.timeLimit(.minutes(1)))
struct MergedRequestTests {
    let fixture: SocketFixture

    init() throws { fixture = try SocketFixture() }

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
