// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
package import Varlink

/// The reason for a launch, in one line.
package enum LaunchText {
    private static let causes = [
        "boot": "first of this boot", "start": "after an orderly stop", "restart": "restarted",
        "failure": "after a failure", "crash": "after a crash", "watchdog": "after a watchdog timeout",
    ]

    /// `after a crash (signal, killed by SIGKILL); triggered by foo.timer`, from the user info of `didFinishLaunching`.
    package static func text(_ launch: JSONObject) -> String {
        var parts: [String] = []
        let cause = launch.text("cause") ?? "unknown cause"
        let previous = launch["previousRun"]?.objectValue ?? [:]
        let exit = previous["exit"]?.objectValue
        let hasUnitEnded = previous["lastWord"]?["reason"] == "unitEnded"
        let tellsExit = !["boot", "start", "restart"].contains(cause)
        let words = hasUnitEnded && cause == "start" ? "after its application had ended" : causes[cause] ?? cause
        parts.append(words + (tellsExit ? exit.map { " (\(text(ofExit: $0)))" } ?? "" : ""))
        if launch["paused"] == true { parts.append("into the background") }
        if let unit = launch.text("triggerUnit") {
            parts.append("triggered by \(unit)" + (launch.text("triggerPath").map { " at \($0)" } ?? ""))
        }
        return parts.joined(separator: "; ")
    }

    /// How a run of a unit ended: `watchdog, killed by SIGABRT`, from an object with `result`, `code` and `status`.
    private static func text(ofExit exit: JSONObject) -> String {
        let result = exit.textOrDash("result")
        guard let code = exit.text("code"), let status = exit.text("status") else { return result }
        return code == "exited" ? "\(result), status \(status)" : "\(result), \(code) by SIG\(status)"
    }
}
