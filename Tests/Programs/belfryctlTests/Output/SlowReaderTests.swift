// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing
import Varlink

/// belfryctl with readers of its output that read late, or never.
@Suite(.timeLimit(.minutes(2)))
struct SlowReaderTests {
    // More than a pipe holds.
    private let large = String(repeating: "x", count: 300_000)

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func signalEndsAWatchThatIsNotRead(_ number: Int32) throws {
        let standIn = try StandIn()
        let watch = try standIn.ctl("watch", "--json")
        _ = watch.line()
        standIn.say(#"notification {"sequence":41,"name":"a","userInfo":{"text":"\#(large)"}}"#)
        #expect(watch.beginsToWrite())

        kill(watch.pid, number)

        let end = watch.end()
        #expect(end.status == 128 + number && end.errors == "")
    }

    @Test func linesBeforeAFailureAreWritten() throws {
        let state = #"{"parameters":{"state":{"text":"\#(large)"}},"continues":true}"#
        let standIn = try StandIn(answering: [state, #"{"error":"org.example.Enough"}"#])

        let done = try standIn.ctl("watch", "--json").end()

        #expect(done.status == 69)
        #expect(done.output == #"{"state":{"text":"\#(large)"}}"# + "\n")
    }

    @Test func anyCommandEndsSilentlyWhenItsReaderCloses() throws {
        let standIn = try StandIn(answering: [#"{"parameters":{"listeners":[],"text":"\#(large)"}}"#])
        let listeners = try standIn.ctl("listeners", "--json")
        #expect(listeners.beginsToWrite())

        listeners.closeOutput()

        let end = listeners.end()
        #expect(end.status == 0)
        #expect(end.errors == "")
    }
}
