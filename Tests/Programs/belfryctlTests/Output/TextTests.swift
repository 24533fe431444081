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

    @Test func textOfAServiceHasNoControlCharacters() {
        let evil: JSONObject = [
            "sequence": 1, "name": "a\u{1B}[2J", "state": "active\n", "realtimeUsec": 0,
            "origin": ["kind": "socket", "pid": 1, "uid": 0, "unit": "\u{7}.service"], "userInfo": ["k\r": "\u{1B}]0;"],
        ]

        for text in [NotificationLine(.plain).line(evil), NotificationLine(.plain).line(state: evil)] {
            #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(text)")
        }
        let tables =
            StatusText.lines(evil, listeners: ["listeners": [["name": "\u{1B}c"]]], now: 0, .plain)
            + PostReply.lines(["result": "failed", "reports": [["listener": "\u{1B}c", "reason": "\n"]]], .plain)
        #expect(!tables.joined().unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test func repliesOfAnotherVersionAreShownInPart() {
        #expect(NotificationLine(.plain).line([:]).hasSuffix("-"))
        #expect(SignalsCommand.lines([:], .plain) == ["SIGNAL  NUMBER  ACTION"])
        #expect(ListenersCommand.lines(["listeners": [[:]]], .plain).count == 2)
        #expect(PostReply.lines([:], .plain) == ["- -"])
        #expect(StatusText.lines([:], listeners: nil, now: 0, .plain).first == "- - is -")
    }
}
