// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryEventLoop
import BelfryJSON
import BelfryLinux

/// The environment of a run: that of this process, and what the run is for.
nonisolated enum RunVariables {
    /// Longer user info is on standard input alone: the kernel refuses a variable of 128 KiB (execve(2)).
    static let longestUserInfo = 64 << 10

    /// All variables. Those of a run are always set, so that an old value never stays.
    static func all(of run: Run, socket: String, inherited: [String: String] = Environment.variables) -> [String:
        String]
    {
        var variables = inherited
        for name in ChildCommand.own + ["JOURNAL_STREAM", ApplicationFile.variable] { variables[name] = nil }
        for (name, value) in facts(of: run) { variables["\(name)"] = value }
        let info = run.content["userInfo"].map(\.description) ?? ""
        let isShort = info.utf8.count <= longestUserInfo
        variables["BELFRY_USER_INFO"] = isShort ? info : ""
        variables["BELFRY_REASON"] = isShort ? text(run.content["userInfo"]?["reason"]) : ""
        variables["BELFRY_TRIGGER"] = text(run.content["trigger"])
        variables["BELFRY_COUNT"] = "\(run.count)"
        variables["BELFRY_SOCKET"] = socket
        return variables
    }

    /// What variables and journal fields have in common: what a run is for, and who caused it. What does not apply is
    /// empty.
    static func facts(of run: Run) -> KeyValuePairs<StaticString, String> {
        let content = run.content
        let origin = content["origin"]?.objectValue ?? [:]
        return [
            "BELFRY_NOTIFICATION": run.name,
            "BELFRY_SEQUENCE": text(content["sequence"]),
            "BELFRY_STATE": text(content["state"]),
            "BELFRY_PREVIOUS_STATE": text(content["previousState"]),
            "BELFRY_ORIGIN": text(origin["kind"]),
            "BELFRY_SIGNAL": text(origin["signal"]),
            "BELFRY_SENDER_PID": text(origin["pid"]),
            "BELFRY_SENDER_UID": text(origin["uid"]),
            "BELFRY_SENDER_LOGINUID": text(origin["loginUid"]),
        ]
    }

    /// A text without NUL, which no variable can hold, or a number; empty for anything else.
    private static func text(_ value: JSONValue?) -> String {
        if let text = value?.stringValue { return String(text.unicodeScalars.filter { $0 != "\0" }) }
        return value?.intValue.map(String.init) ?? ""
    }
}
