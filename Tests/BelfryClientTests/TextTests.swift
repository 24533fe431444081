// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import Glibc
import Testing
import Varlink

struct TextTests {
    @Test(arguments: [
        (0, "0 us"), (870, "870 us"), (1000, "1 ms"), (1250, "1.2 ms"), (999_999, "999.9 ms"), (3_400_000, "3.4 s"),
        (60_000_000, "1 min"), (200_000_000, "3 min 20 s"), (7_500_000_000, "2 h 5 min"), (3_600_000_000, "1 h"),
        (86_400_000_000, "1 d"), (190_000_000_000, "2 d 4 h"), (-5, "0 us"), (Int64.max, "106751991 d 4 h"),
    ])
    func lengthsOfTimeHaveTheirTwoLargestUnits(_ microseconds: Int64, _ text: String) {
        #expect(DurationText.text(microseconds: microseconds) == text)
    }

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

    @Test func coloursNeedATerminalThatWantsThem() throws {
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

    @Test func whatAServiceSaysCannotDrawOnTheTerminal() {
        let evil: JSONObject = [
            "sequence": 1, "name": "a\u{1B}[2J", "state": "active\n", "realtimeUsec": 0,
            "origin": ["kind": "socket", "pid": 1, "uid": 0, "unit": "\u{7}.service"], "userInfo": ["k\r": "\u{1B}]0;"],
        ]

        for text in [NotificationLine(.plain).line(evil), NotificationLine(.plain).line(state: evil)] {
            #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(text)")
        }
        let tables =
            StatusText.lines(evil, listeners: ["listeners": [["name": "\u{1B}c"]]], now: 0, .plain)
            + PostText.lines(["result": "failed", "reports": [["listener": "\u{1B}c", "reason": "\n"]]], .plain)
        #expect(!tables.joined().unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test func repliesOfAnotherVersionAreShownAsFarAsTheyGo() {
        #expect(NotificationLine(.plain).line([:]).hasSuffix("-"))
        #expect(SignalTable.lines([:], .plain) == ["SIGNAL  NUMBER  ACTION"])
        #expect(ListenerTable.lines(["listeners": [[:]]], .plain).count == 2)
        #expect(PostText.lines([:], .plain) == ["- -"])
        #expect(StatusText.lines([:], listeners: nil, now: 0, .plain).first == "- - is -")
    }
}
