// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct WatchCommandsTests {
    private let first = "lantern 9.8 is active, pid "

    /// A watch that has printed the state.
    private func watching(_ options: String...) throws -> (StandIn, ChildProgram) {
        let standIn = try StandIn()
        let watch = try standIn.ctl(["watch"] + options)
        _ = watch.line()
        return (standIn, watch)
    }

    @Test func notificationsAreLinesOfPlainText() throws {
        let standIn = try StandIn()
        let watch = try standIn.ctl("watch")
        #expect(watch.line()?.hasPrefix(first) == true)

        standIn.say("notify didBecomeActive")
        #expect(
            watch.line()
                == "2026-01-02T13:00:02.123456+0000     41  didBecomeActive      active                    service")
        standIn.say("notify flushRequested")
        #expect(watch.line()?.contains("flushRequested") == true)

        kill(watch.pid, SIGTERM)
        #expect(watch.end() == .init(status: 128 + SIGTERM, output: "", errors: ""))
    }

    @Test func eachReplyIsALineOfJSON() throws {
        let standIn = try StandIn()
        let watch = try standIn.ctl("watch", "--json")
        #expect(watch.line()?.hasPrefix(#"{"state":{"state":"active","sequence":40,"#) == true)

        standIn.say(#"notification {"sequence":41,"name":"a","userInfo":{"text":"two\nlines"}}"#)

        #expect(watch.line() == #"{"notification":{"sequence":41,"name":"a","userInfo":{"text":"two\nlines"}}}"#)
        watch.closeOutput()
        #expect(watch.end().status == 0)
    }

    @Test func missedNotificationsComeFirst() throws {
        let (standIn, witness) = try watching()
        for name in ["a", "b", "c"] { standIn.say("notify \(name)") }
        for _ in 0..<3 { _ = witness.line() }

        let late = try standIn.ctl("watch", "--after", "41", "--json")

        _ = late.line()
        #expect(late.line()?.contains(#""name":"b""#) == true)
        #expect(late.line()?.contains(#""name":"c""#) == true)
    }

    @Test func lostNotificationsAreReported() throws {
        let standIn = try StandIn()
        let watch = try standIn.ctl("watch", "--after", "7")

        #expect(watch.line()?.hasPrefix(first) == true)
        standIn.say("notify a")
        #expect(watch.line()?.contains("41  a ") == true)
        kill(watch.pid, SIGTERM)
        let end = watch.end()
        let note = "belfryctl: notifications 8 to 40 are not in memory any more, 'belfryctl history' shows "
        #expect(end.errors.hasPrefix(note), "\(end.errors)")
    }

    @Test func watchContinuesAfterACrash() throws {
        let (standIn, watch) = try watching("--json")
        standIn.say("notify a")
        _ = watch.line()

        standIn.crash()
        #expect(watch.errorLine() == "belfryctl: the service closed the connection, waiting for it to return")
        try standIn.start()
        #expect(watch.errorLine() == "belfryctl: reconnected")
        #expect(watch.line()?.hasPrefix(#"{"state":"#) == true)
        standIn.say("sequence 60")
        standIn.say("notify b")

        #expect(watch.line()?.contains(#""sequence":61,"name":"b""#) == true)
    }

    @Test func restartedSequenceIsReadFromTheBeginning() throws {
        let (standIn, watch) = try watching("--json")
        standIn.say("sequence 500")
        standIn.say("notify a")
        #expect(watch.line()?.contains(#""sequence":501"#) == true)

        standIn.crash()
        try standIn.start()
        #expect(watch.line()?.hasPrefix(#"{"state":"#) == true)
        standIn.say("notify b")

        #expect(watch.line()?.contains(#""sequence":41,"name":"b""#) == true)
    }

    @Test func droppedNotificationsAreRequestedAgain() throws {
        let (standIn, watch) = try watching("--json")
        standIn.say("notify a")
        #expect(watch.line()?.contains(#""sequence":41"#) == true)

        standIn.say("overrun")
        #expect(watch.errorLine()?.hasPrefix("belfryctl: 3 notifications were held back") == true)
        #expect(watch.line()?.hasPrefix(#"{"state":"#) == true)
        standIn.say("notify b")

        #expect(watch.line()?.contains(#""sequence":42,"name":"b""#) == true)
    }

    @Test func watchWaitsForAService() throws {
        let standIn = try StandIn(running: false)
        let watch = try standIn.ctl("watch", "--wait")
        #expect(watch.errorLine()?.hasSuffix("(ENOENT), waiting for it") == true)

        try standIn.start()

        #expect(watch.line()?.hasPrefix(first) == true)
    }

    @Test func waitEndsAfterTheOutputIsWritten() throws {
        let (standIn, witness) = try watching("--json")
        let large = String(repeating: "x", count: 300_000)
        standIn.say(#"notification {"sequence":41,"name":"a","userInfo":{"text":"\#(large)"}}"#)
        let line = try #require(witness.line())

        let wait = try standIn.ctl("wait", "a", "--after", "40", "--json")

        #expect(wait.end() == .init(status: 0, output: line + "\n", errors: ""))
    }

    @Test func misspeltNameGivesAWarning() throws {
        let standIn = try StandIn()
        let watch = try standIn.ctl("watch", "--on", "didBecomActive")

        #expect(
            watch.errorLine() == "belfryctl: watching for 'didBecomActive', did you mean 'didBecomeActive'?")
        #expect(watch.line()?.hasPrefix(first) == true)
    }

    @Test func terminalOutputIsColoured() throws {
        let standIn = try StandIn()
        let terminal = try PseudoTerminal()
        let watch = try standIn.ctl("watch", outputTo: terminal.user)
        terminal.closeUser()
        #expect(terminal.line()?.contains("is \u{1B}[32mactive\u{1B}[0m, pid ") == true)

        standIn.say("notify didBecomeActive")

        #expect(terminal.line()?.contains("\u{1B}[32mdidBecomeActive\u{1B}[0m") == true)
        terminal.hangUp()
        #expect(watch.end().status == 0)
    }

    @Test func watchHasOneThread() throws {
        let (standIn, watch) = try watching()
        standIn.say("notify a")
        _ = watch.line()

        #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(watch.pid)/task").count == 1)
    }
}
