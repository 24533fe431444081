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

    private func ask(_ method: String, _ signal: JSONValue = "HUP") throws -> ReplyRecorder {
        let request = try fixture.more(method, ["signal": signal])
        try fixture.loop.turnWithoutWaiting()
        return request
    }

    @Test func concurrentExplainRequestsAreMerged() throws {
        var asked: [() -> Void] = []
        fixture.socket.refreshTimeouts = { asked.append($0) }

        let requests = try (0..<5).map { _ in try ask("Explain") }
        #expect(asked.count == 1)
        asked[0]()
        try fixture.turn { requests[0].isOver }
        #expect(asked.count == 2)
        asked[1]()
        try fixture.turn { requests.allSatisfy(\.isOver) }

        #expect(requests.allSatisfy { $0.replies.count == 1 })
        #expect(asked.count == 2)
    }

    @Test func concurrentRehearsalsAreMerged() throws {
        let listener = RehearsingListener()
        try fixture.mediator.addListener(listener)
        var reads = 0
        fixture.mediator.readConfiguration = { [fixture] in
            reads += 1
            return fixture.mediator.configuration
        }

        let requests = try (0..<5).map { _ in try ask("Rehearse") }
        #expect(reads == 1 && listener.pending.count == 1)
        listener.pending.removeFirst()(.success(()))
        try fixture.turn { requests[0].isOver }
        #expect(reads == 2 && listener.pending.count == 1)
        listener.pending.removeFirst()(.failure(LifecycleRefusal("no")))
        try fixture.turn { requests.allSatisfy(\.isOver) }

        #expect(reads == 2)
        #expect(requests.map { $0.replies[0]["passed"] } == [true, false, false, false, false])
    }

    @Test func listenerThatCannotRehearseIsNamed() throws {
        let attached = try fixture.more("Attach", ["listener": "guard", "names": ["willReload"], "confirm": true])
        try fixture.turn { attached.replies.count == 1 }

        let reply = try fixture.call("Rehearse", ["signal": "HUP"]).get()

        #expect(reply["passed"] == true)
        #expect(reply["unasked"]?.arrayValue?.contains("guard") == true)
    }
}

/// A listener whose dry runs end when the test decides.
private final class RehearsingListener: LifecycleListener {
    let name = "rehearsing"
    var pending: [(Result<Void, any Error>) -> Void] = []

    var answers: [LifecycleAnswer] {
        on(.willReload) { _ in }.rehearsingOnCompletion { [self] _, completion in
            pending.append(completion)
            return {}
        }
    }
}
