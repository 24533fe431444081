// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfryctl
import BelfryCommandLine
import Glibc
import Testing
import Varlink

struct StatusCommandTests {
    @Test func launchTextHasTheCauseAndTheExit() {
        let killed: JSONValue = ["exit": ["result": "signal", "code": "killed", "status": "KILL"]]

        #expect(LaunchText.text(["cause": "boot"]) == "first of this boot")
        #expect(LaunchText.text(["cause": "crash"]) == "after a crash")
        #expect(
            LaunchText.text(["cause": "crash", "previousRun": killed]) == "after a crash (signal, killed by SIGKILL)")
        #expect(LaunchText.text(["cause": "restart", "previousRun": killed]) == "restarted")
        #expect(LaunchText.text([:]) == "unknown cause")
    }

    @Test func launchTextHasTheTrigger() {
        #expect(
            LaunchText.text(["cause": "start", "triggerUnit": "in.path", "triggerPath": "/in"])
                == "after an orderly stop; triggered by in.path at /in")
    }

    @Test func exitRecordNamesAllProcesses() {
        let lines = ExitRecordText.lines([
            "kind": "stopped", "reason": "stop", "exitStatus": 143, "problem": "late",
            "origin": [
                "kind": "signal", "signal": "SIGTERM", "pid": 1, "uid": 0, "unit": "init.scope", "command": "systemd",
            ],
            "cutShortBy": ["kind": "socket", "pid": 8, "uid": 0],
            "listeners": [
                ["listener": "a", "outcome": "completed", "durationUsec": 10],
                ["listener": "b", "outcome": "overran", "durationUsec": 5000],
            ],
        ])

        #expect(
            lines == [
                "stopped by SIGTERM from pid 1 systemd (root) init.scope, reason stop, "
                    + "cut short by socket from pid 8 (root), exit status 143",
                "late", "slowest: b 5 ms overran, a 10 us",
            ])
    }

    @Test(arguments: [
        ("active", "", "active"), ("background", "", "paused (background)"), ("background", "stop", "stopping"),
        ("active", "stop", "stopping"), ("background", "pause", "paused (background)"),
        ("notRunning", "", "not running"), ("notRunning", "launch", "starting"), ("sung", "", "sung"),
    ])
    func statesHaveTheWordsOfAnOperator(state: String, trigger: String, word: String) {
        let reply: JSONObject = ["state": .string(state), "transition": ["trigger": .string(trigger)]]

        #expect(TextStyle.plain.state(of: reply) == word)
    }

    @Test func pauseThatHasEndedSaysByWhom() {
        setenv("TZ", "UTC", 1)
        var word: JSONObject = [
            "kind": "paused", "realtimeUsec": 7_000_000, "origin": ["kind": "socket", "pid": 7, "uid": 0],
            "pauseReason": "a backup", "endedUsec": 97_000_000, "endedBy": ["kind": "socket", "pid": 8, "uid": 0],
        ]
        let pause = "paused 1970-01-01 00:00:07 by socket from pid 7 (root): a backup; ended 1970-01-01 00:01:37: "

        #expect(ExitRecordText.lines(word) == [pause + "by socket from pid 8 (root)"])
        word["endReason"] = "PauseMax= has passed"
        #expect(ExitRecordText.lines(word) == [pause + "PauseMax= has passed"])
    }

    private let listeners: JSONObject = [
        "listeners": [["name": "a", "health": "healthy"], ["name": "b", "calls": 2, "failures": 0]]
    ]

    @MainActor private func lines(_ state: JSONObject, _ listeners: JSONObject?) -> [String] {
        StatusText.lines(state, listeners: listeners, now: 100_000_000, .plain)
    }

    @MainActor @Test func firstFiveLinesSayWhatMattersMost() {
        setenv("TZ", "UTC", 1)
        let state: JSONObject = [
            "service": "lantern", "version": "9.8", "state": "background", "stateSinceUsec": 97_000_000,
            "uptimeUsec": 60_000_000, "pid": 12, "sequence": 9, "bootId": "b", "invocationId": "c",
            "lastNotification": [
                "sequence": 9, "name": "didEnterBackground", "realtimeUsec": 98_000_000, "origin": ["kind": "service"],
            ],
            "lastWord": [
                "kind": "paused", "origin": ["kind": "signal", "signal": "SIGTSTP", "pid": 7, "uid": 0],
                "pauseReason": "a backup\n",
                "listeners": [
                    ["listener": "b", "outcome": "completed", "durationUsec": 5, "work": "stopped at\nframe 9"]
                ],
            ],
        ]

        #expect(
            lines(state, listeners).prefix(7) == [
                "lantern 9.8 is paused (background) since 1970-01-01 00:01:37; 3 s ago",
                "      Process: pid 12, started 1970-01-01 00:00:40; 1 min ago",
                "         Last: 9 didEnterBackground, 1970-01-01 00:01:38; 2 s ago, by service",
                "    Last word: paused by SIGTSTP from pid 7 (root): a backup\\n",
                "       Health: all listeners are healthy",
                "      Details: slowest: b 5 us", "               b: stopped at\\nframe 9",
            ])
    }

    @MainActor @Test func listenerSaysWhatItIsDoing() {
        let listeners: JSONObject = [
            "listeners": [["name": "clients", "calls": 2, "activity": "3 connections at\n/run/x"]]
        ]

        #expect(lines([:], listeners).last == "    Listeners: clients: 3 connections at\\n/run/x")
    }

    @MainActor @Test func theLastReportOfAHealthyProgramHasItsTime() {
        setenv("TZ", "UTC", 1)
        let listeners: JSONObject = ["listeners": [["name": "a", "health": "healthy", "healthyUsec": 97_000_000]]]

        #expect(
            lines([:], listeners)[4] == "       Health: all listeners are healthy, "
                + "last healthy 1970-01-01 00:01:37; 3 s ago")
    }

    @MainActor @Test func unhealthyAndFailedListenersAreNamed() {
        let ill: JSONValue = ["name": "disk", "health": "unhealthy", "healthReason": "no space"]
        let listeners: JSONObject = ["listeners": [ill, ["name": "cache", "lastOutcome": "refused"], ill, ill, ill]]

        #expect(
            lines([:], listeners)[4] == "       Health: disk is unhealthy: no space; "
                + "listener 'cache' refused its last notification; disk is unhealthy: no space")
    }

    @MainActor @Test func transitionUnderWayIsTheSecondLine() {
        setenv("TZ", "UTC", 1)
        let transition: JSONValue = [
            "trigger": "reload", "origin": ["kind": "socket", "pid": 8, "uid": 0], "sinceUsec": 88_000_000,
            "waitingFor": ["x", "two\nlines"],
        ]

        #expect(
            lines(["transition": transition], nil)[1] == "   Transition: reload by socket from pid 8 (root), "
                + "since 1970-01-01 00:01:28; 12 s ago, waiting for 'x', 'two\\nlines'")
        #expect(
            lines(["transition": ["trigger": "reload", "dryRun": true, "origin": ["kind": "service"]]], nil)[1]
                == "   Transition: reload (dry run) by service")
    }

    @MainActor @Test func holdsAndAFailedStopComeBeforeTheProcess() {
        let state: JSONObject = [
            "holds": [
                ["reason": "backup", "pid": 7, "ageUsec": 3_000_000, "remainingUsec": 2_000_000],
                ["reason": "copy\n", "pid": 8, "ageUsec": 7_200_000_000],
            ],
            "failedCommands": ["Stop": "1970-01-01T00:00:00Z: shop: Stop=: full", "Start": "exit status 1"],
        ]

        #expect(
            lines(state, nil).prefix(5).dropFirst() == [
                "     Held for: backup (pid 7, for 3 s, 2 s left)", "               copy\\n (pid 8, for 2 h)",
                "       Failed: Stop= failed 1970-01-01T00:00:00Z: shop: Stop=: full", "      Process: pid -",
            ])
    }

    @MainActor @Test func absentFactsAreSaidToBeUnknown() {
        let lines = lines(["sequence": 3], nil)

        #expect(lines[2...4] == ["         Last: 3", "    Last word: none", "       Health: unknown"])
        #expect(self.lines(["holds": .null], nil)[1] == "     Held for: unknown")
    }
}
