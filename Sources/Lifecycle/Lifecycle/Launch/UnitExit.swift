// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How a run of a unit ended, in systemd's words (systemd.exec(5), `$SERVICE_RESULT`).
public nonisolated struct UnitExit: Sendable, Equatable, CustomStringConvertible {
    /// `success`, `exit-code`, `signal`, `core-dump`, `watchdog`, `timeout`, `oom-kill` and so on.
    public var result: String
    /// `exited`, `killed` or `dumped`: how the main process ended; nil when it never ran.
    public var code: String?
    /// The exit status or the name of the signal: `0`, `71`, `KILL`.
    public var status: String?

    /// An end.
    package init(result: String, code: String? = nil, status: String? = nil) {
        self.result = result
        self.code = code
        self.status = status
    }

    /// How a service ended: `$SERVICE_RESULT`, `$EXIT_CODE` and `$EXIT_STATUS`, which systemd sets for `ExecStopPost=`;
    /// nil when the variables are not there.
    package init?(environment: [String: String]) {
        guard let result = environment.nonEmpty("SERVICE_RESULT") else { return nil }
        self.init(result: result, code: environment.nonEmpty("EXIT_CODE"), status: environment.nonEmpty("EXIT_STATUS"))
    }

    /// Reads `result`, `code` and `status`; nil without the first.
    package init?(userInfo: UserInfo) {
        guard let result = userInfo.text("result") else { return nil }
        self.init(result: result, code: userInfo.text("code"), status: userInfo.text("status"))
    }

    /// `result` and, where they are known, `code` and `status`.
    package var userInfo: UserInfo {
        var info: UserInfo = ["result": .string(result)]
        info["code"] = code.map { .string($0) }
        info["status"] = status.map { .string($0) }
        return info
    }

    /// Whether a signal ended the process.
    package var isKilled: Bool { code == "killed" || code == "dumped" }

    /// A short text: `watchdog, killed by SIGABRT`.
    public var description: String {
        guard let code, let status else { return result }
        return "\(result), \(isKilled ? "\(code) by SIG\(status)" : "status \(status)")"
    }
}
