// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc
import TestSupport
import Testing

/// What a service says when its event loop stands still.
@Suite(.timeLimit(.minutes(2)))
struct LoopBlockTests {
    private let fixture = DaemonFixture()

    private static let debug = "[Logger]\nLevel=debug\n"

    @Test func listenerThatBlocksIsNamedOnce() throws {
        let service = try fixture.startReady("ServiceProbe", ["block"], Self.debug)

        service.send(SIGUSR1)
        let named = "in an answer of the listener 'probe'"
        let line = service.lines(until: named).last
        service.send(SIGUSR1)
        service.lines(until: "flushRequested")
        let rest = service.stop().lines

        #expect(line?.contains("the event loop stood still for ") == true)
        #expect(!rest.contains { $0.contains(named) })
    }

    @Test func blockOfASourceNamesNoListener() throws {
        let service = try fixture.startReady("ServiceProbe", ["blockTimer"], Self.debug)

        let line = service.lines(until: "the event loop stood still").last

        #expect(line?.hasSuffix(", not in an answer of a listener") == true)
        _ = service.stop()
    }

    @Test func nothingIsSaidAboveTheLevelDebug() throws {
        let service = try fixture.startReady("ServiceProbe", ["block"])

        service.send(SIGUSR1)
        service.lines(until: "flushRequested")
        let lines = service.stop().lines

        #expect(!lines.contains { $0.contains("the event loop stood still") })
    }
}
