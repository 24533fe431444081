// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfryctl
import BelfryCommandLine
import Glibc
import Testing
import Varlink

struct TextTests {
    @Test func columnsAreAsWideAsTheirLongestText() {
        var table = TextTable([("NAME", .left), ("CALLS", .right), ("LAST", .left)])
        table.add(["a", "12345678", "completed"])
        table.add(["longer", "1", ""], isAlarming: true)

        #expect(
            table.lines(.plain) == [
                "NAME       CALLS  LAST", "a       12345678  completed", "longer         1",
            ])
        #expect(table.lines(.coloured).last == "\u{1B}[31mlonger         1\u{1B}[0m")
    }

    @Test func coloursNeedATerminalAndNoOptOut() throws {
        let null = open("/dev/null", O_WRONLY)
        let pseudo = try PseudoTerminal()
        let terminal = pseudo.user
        defer {
            close(null)
            pseudo.closeUser()
        }

        #expect(TextStyle.fitting(terminal, environment: ["TERM": "xterm"]) == .coloured)
        #expect(TextStyle.fitting(terminal, environment: ["NO_COLOR": ""]) == .coloured)
        #expect(TextStyle.fitting(terminal, environment: ["NO_COLOR": "1"]) == .plain)
        #expect(TextStyle.fitting(terminal, environment: ["TERM": "dumb"]) == .plain)
        #expect(TextStyle.fitting(null, environment: [:]) == .plain)
    }

    @Test func repliesOfAnotherVersionAreShownInPart() {
        #expect(NotificationLine(.plain).line([:]).hasSuffix("-"))
        #expect(SignalsCommand.lines([:], .plain) == ["SIGNAL  NUMBER  ACTION"])
        #expect(ListenersCommand.lines(["listeners": [[:]]], .plain).count == 2)
        #expect(PostReply.lines([:], .plain) == ["- -"])
        #expect(StatusText.lines([:], listeners: nil, now: 0, .plain).first == "- - is -")
    }
}
