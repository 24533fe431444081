// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Varlink

/// How a run of a unit ended, in a few words.
nonisolated enum UnitExitText {
    /// `watchdog, killed by SIGABRT`, from an object with `result`, `code` and `status`.
    static func text(_ exit: JSONObject) -> String {
        let result = exit.textOrDash("result")
        guard let code = exit.text("code"), let status = exit.text("status") else { return result }
        return code == "exited" ? "\(result), status \(status)" : "\(result), \(code) by SIG\(status)"
    }
}
