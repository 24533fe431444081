// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfry_listener
import BelfryEventLoop
import BelfryJSON
import Testing

struct RunVariablesTests {
    private func run(_ content: JSONObject, _ name: String = "willReload") -> Run {
        Run(
            name: name, content: content, tokens: [], count: 3,
            deadline: MonotonicInstant(microseconds: 1))
    }

    @Test func variablesDescribeTheNotification() {
        let content: JSONObject = [
            "sequence": 7, "state": "active", "previousState": "inactive",
            "origin": ["kind": "signal", "signal": "SIGHUP", "pid": 12, "uid": 0, "loginUid": 1000],
            "trigger": "reload", "userInfo": ["reason": "no disk"],
        ]

        let variables = RunVariables.all(of: run(content), socket: "@s", inherited: ["PATH": "/bin"])

        #expect(
            variables == [
                "PATH": "/bin", "BELFRY_NOTIFICATION": "willReload", "BELFRY_SEQUENCE": "7", "BELFRY_STATE": "active",
                "BELFRY_PREVIOUS_STATE": "inactive", "BELFRY_TRIGGER": "reload", "BELFRY_ORIGIN": "signal",
                "BELFRY_SIGNAL": "SIGHUP",
                "BELFRY_SENDER_PID": "12", "BELFRY_SENDER_UID": "0", "BELFRY_SENDER_LOGINUID": "1000",
                "BELFRY_USER_INFO": "{\"reason\":\"no disk\"}", "BELFRY_REASON": "no disk",
                "BELFRY_COUNT": "3", "BELFRY_SOCKET": "@s",
            ])
    }

    @Test func variablesOfTheUnitItselfAreNotInherited() {
        let inherited = [
            "NOTIFY_SOCKET": "/x", "JOURNAL_STREAM": "1:2", "BELFRY_APPLICATION": "x", "BELFRY_SIGNAL": "SIGTERM",
        ]

        let variables = RunVariables.all(of: run([:]), socket: "@s", inherited: inherited)

        #expect(variables["NOTIFY_SOCKET"] == nil && variables["JOURNAL_STREAM"] == nil)
        #expect(variables["BELFRY_APPLICATION"] == nil)
        #expect(variables["BELFRY_SIGNAL"] == "")
    }

    @Test func whatNoVariableCanHoldIsLeftOut() {
        let long = String(repeating: "x", count: RunVariables.longestUserInfo)
        let content: JSONObject = ["state": "a\0b", "userInfo": ["reason": .string(long)]]

        let variables = RunVariables.all(of: run(content), socket: "@s", inherited: [:])

        #expect(variables["BELFRY_STATE"] == "ab")
        #expect(variables["BELFRY_USER_INFO"] == "" && variables["BELFRY_REASON"] == "")
    }
}
