// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle

nonisolated extension UnitExit {
    /// What systemd tells of the end of a service: `$SERVICE_RESULT`, `$EXIT_CODE` and `$EXIT_STATUS`, in
    /// `ExecStopPost=` of the service itself, and with `MONITOR_` before them in a unit that its end started.
    ///
    /// - Returns: nil when the variables are not there.
    package init?(environment: [String: String], prefix: String = "") {
        func text(_ variable: String) -> String? { environment[prefix + variable].flatMap { $0.isEmpty ? nil : $0 } }
        guard let result = text("SERVICE_RESULT") else { return nil }
        self.init(result: result, code: text("EXIT_CODE"), status: text("EXIT_STATUS"))
    }
}
