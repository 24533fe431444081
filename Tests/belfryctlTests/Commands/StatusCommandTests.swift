// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfryctl
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

    @Test func launchTextHasTheTriggerAndNames() {
        #expect(
            LaunchText.text([
                "cause": "start", "triggerUnit": "in.path", "triggerPath": "/in",
                "monitored": ["unit": "b.service", "exit": ["result": "exit-code", "code": "exited", "status": "3"]],
                "socketNames": ["varlink"], "storedNames": ["s1", "s2"], "credentialNames": ["key"],
            ])
                == "after an orderly stop; triggered by in.path at /in; for b.service (exit-code, status 3); "
                + "sockets varlink; stored s1 s2; credentials key")
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
                "late", "late: b", "slowest: b 5 ms overran, a 10 us",
            ])
    }
}
