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

    /// A watch in the middle of writing a long line that is not read.
    private func begunWatch(_ standIn: StandIn) throws -> (watch: ChildProgram, line: String) {
        let watch = try standIn.ctl("watch", "--json")
        _ = watch.line()
        let witness = try standIn.ctl("watch", "--json")
        _ = witness.line()
        for number in [41, 42] {
            standIn.say(#"notification {"sequence":\#(number),"name":"a","userInfo":{"text":"\#(large)"}}"#)
        }
        let line = try #require(witness.line())
        #expect(watch.beginsToWrite())
        return (watch, line)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func signalCompletesTheLineBeingWritten(_ number: Int32) throws {
        let (watch, line) = try begunWatch(StandIn())

        kill(watch.pid, number)

        // belfryctl may have begun the second line when the signal arrives.
        let second = line.replacingOccurrences(of: #""sequence":41"#, with: #""sequence":42"#)
        let end = watch.end()
        #expect(end.status == 0 && end.errors == "")
        #expect([line + "\n", line + "\n" + second + "\n"].contains(end.output))
    }

    @Test func secondSignalDoesNotWaitForTheReader() throws {
        let (watch, _) = try begunWatch(StandIn())

        kill(watch.pid, SIGINT)
        kill(watch.pid, SIGTERM)

        #expect(watch.errorLine() == "belfryctl: output is not being read, the last line is incomplete")
        #expect(watch.end().status == 0)
    }

    @Test func waitForAStalledReaderIsLimited() throws {
        let (watch, _) = try begunWatch(StandIn())

        kill(watch.pid, SIGINT)

        #expect(watch.errorLine() == "belfryctl: output is not being read, the last line is incomplete")
        #expect(watch.end().status == 0)
    }

    @Test func bufferedLinesAreWrittenAfterAFailure() throws {
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

    @Test func unreadTerminalDoesNotPreventTheEndOfWatch() throws {
        let standIn = try StandIn()
        let terminal = try PseudoTerminal()
        let watch = try standIn.ctl("watch", outputTo: terminal.user)
        terminal.closeUser()
        _ = terminal.line()
        let witness = try standIn.ctl("watch", "--json")
        _ = witness.line()
        let text = String(repeating: "x", count: 900)
        for number in 41..<300 {
            standIn.say(#"notification {"sequence":\#(number),"name":"a","userInfo":{"text":"\#(text)"}}"#)
            _ = witness.line()
        }

        kill(watch.pid, SIGTERM)

        #expect(watch.end().status == 0)
    }

    @Test func unreadStandardErrorDoesNotPreventTheEndOfWatch() throws {
        let state = #"{"parameters":{"state":{}},"continues":true}"#
        let overrun = #"{"error":"io.belfry.Lifecycle.Overrun"}"#
        // Each reply makes belfryctl ask again, so there is always more output.
        let standIn = try StandIn(answering: [state] + Array(repeating: overrun, count: 10))
        let watch = try standIn.ctl("watch", "--json")
        #expect(watch.errorLine()?.hasPrefix("belfryctl: - notifications were held back") == true)

        kill(watch.pid, SIGTERM)

        #expect(watch.end().status == 0)
    }
}
