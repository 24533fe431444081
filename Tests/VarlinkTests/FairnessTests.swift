// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Testing
import Varlink

/// Many calls of one client do not delay other clients.
@Suite(.timeLimit(.minutes(1)))
struct FairnessTests {
    @Test func slowCallsDoNotDelayOtherConnections() throws {
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

        // The first turn has time for two or three calls, and the next one begins with the other connection.
        #expect(try #require(order.firstIndex(of: "other")) < 10)
        _ = try fixture.receive(100, busy)
        #expect(order.count == 101)
    }
}
