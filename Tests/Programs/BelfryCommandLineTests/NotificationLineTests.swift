// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
@testable import BelfryCommandLine
import Testing
import Varlink

struct NotificationLineTests {
    private func columns(_ changes: JSONObject) -> String {
        var notification: JSONObject = [
            "sequence": 41, "name": "didEnterBackground", "state": "background", "previousState": "inactive",
            "realtimeUsec": 0, "origin": ["kind": "service"], "userInfo": [:],
        ]
        for (key, value) in changes { notification[key] = value }
        // Without the time, which depends on the time zone.
        return String(NotificationLine(.plain).line(notification).drop { $0 != " " }.drop { $0 == " " })
    }

    @Test func notificationIsShownInColumns() {
        #expect(columns([:]) == "41  didEnterBackground   inactive -> background    service")
        #expect(
            columns(["name": "flushRequested", "previousState": "background"])
                == "41  flushRequested       background                service")
        #expect(
            columns(["sequence": 123_456, "name": "protectedDataDidBecomeAvailable"])
                == "123456  protectedDataDidBecomeAvailable  inactive -> background    service")
    }

    @Test func onlyWhatIsShownOfALongTextIsLookedAt() {
        let long = String(repeating: "x", count: PrintableText.longest)
        #expect(columns(["userInfo": ["text": .string(long + " \"")]]).hasSuffix("  text=" + long.dropLast(5) + "…"))
        #expect(columns(["userInfo": ["text": .string("a b")]]).hasSuffix("  text=\"a b\""))
    }

    @Test func originHasSignalProcessAndUser() {
        func origin(_ origin: JSONObject) -> String {
            String(columns(["origin": .object(origin)]).split(separator: "background    ").last ?? "")
        }

        #expect(
            origin(["kind": "signal", "signal": "SIGTSTP", "pid": 12, "uid": 0, "unit": "foo.service", "value": 0])
                == "SIGTSTP from pid 12 (root) foo.service")
        #expect(
            origin(["kind": "signal", "signal": "SIGRTMIN+5", "pid": 9, "uid": 4_000_000_001, "value": 7])
                == "SIGRTMIN+5 from pid 9 (uid 4000000001), value 7")
        #expect(
            origin(["kind": "signal", "signal": "SIGTERM", "pid": 0, "uid": 0])
                == "SIGTERM from an unknown process (root)")
        #expect(
            origin([
                "kind": "signal", "signal": "SIGTSTP", "pid": 12, "uid": 0, "command": "kill", "unit": "foo.service",
            ])
                == "SIGTSTP from pid 12 kill (root) foo.service")
        #expect(
            origin(["kind": "signal", "signal": "SIGINT", "pid": 0, "uid": 0, "sender": "kernel"])
                == "SIGINT from the kernel")
        #expect(origin(["kind": "socket", "pid": 3, "uid": 0]) == "socket from pid 3 (root)")
    }

    @Test func stopOfBelfryAloneIsTold() {
        let stop = columns(["userInfo": ["reason": "stop", "unitJob": "none"]])
        #expect(stop.hasSuffix("  reason=stop (the unit runs on)"))
        #expect(columns(["userInfo": ["unitJob": "restart"]]).hasSuffix("  unitJob=restart"))
    }

    @Test func usersOfAnotherMachineAreNumbers() {
        let origin: JSONObject = ["kind": "socket", "pid": 3, "uid": 1]

        #expect(OriginText(isLocal: false).text(origin) == "socket from pid 3 (uid 1)")
        #expect(OriginText().text(origin) != "socket from pid 3 (uid 1)")
    }

    @Test func userInfoIsShownAsItIsTyped() {
        let info: JSONValue = ["count": 3, "who": "ringer", "why": "two words", "list": [1, "x"], "no": .null]

        #expect(
            columns(["userInfo": info]).hasSuffix(#"service  count=3 who=ringer why="two words" list=[1,"x"] no=null"#))
    }

    @Test func colouredLineShowsTheTimeOfDay() {
        let line = NotificationLine(.coloured).line([
            "sequence": 1, "name": "willTerminate", "state": "notRunning", "previousState": "background",
            "realtimeUsec": 1_767_358_802_123_456, "origin": ["kind": "service"],
        ])

        #expect(line.contains("\u{1B}[1;31mwillTerminate\u{1B}[0m"))
        #expect(line.contains("\u{1B}[34mbackground\u{1B}[0m -> \u{1B}[31mnotRunning\u{1B}[0m"))
        #expect(line.contains(".123\u{1B}[0m"))
        #expect(!line.contains("2026"))
    }
}
