// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Testing
import Varlink

/// However many calls one client sends, the others have their turn.
@Suite(.timeLimit(.minutes(1)))
struct FairnessTests {
    @Test func callsThatTakeLongLetOtherConnectionsHaveTheirTurn() throws {
        let fixture = try ServerFixture()
        var order: [String] = []
        try fixture.server.add(
            VarlinkInterface(
                "interface org.example.slow\nmethod Work(who: string) -> ()",
                methods: [
                    "Work": { request in
                        order.append(request.parameters["who"]?.stringValue ?? "")
                        let begin = MonotonicInstant.now
                        while MonotonicInstant.now - begin < .milliseconds(1) {}
                        request.reply()
                    }
                ]))
        let busy = try fixture.peer()
        let other = try fixture.peer()

        for _ in 0..<100 { busy.write(VarlinkCall("org.example.slow.Work", ["who": "busy"])) }
        other.write(VarlinkCall("org.example.slow.Work", ["who": "other"]))
        _ = try fixture.receive(1, other)

        // In the first turn the user has time for two or three calls, and in the next the other connection comes first.
        #expect(try #require(order.firstIndex(of: "other")) < 10)
        _ = try fixture.receive(100, busy)
        #expect(order.count == 101)
    }
}
