// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle

nonisolated extension LaunchOptions {
    /// What triggered the start, from the environment of the process.
    package init(environment: [String: String]) {
        self.init()
        triggerUnit = environment.text("TRIGGER_UNIT")
        triggerPath = environment.text("TRIGGER_PATH")
    }
}

nonisolated extension UnitExit {
    /// How a service ended: `$SERVICE_RESULT`, `$EXIT_CODE` and `$EXIT_STATUS`, which systemd sets for `ExecStopPost=`.
    ///
    /// - Returns: nil when the variables are not there.
    package init?(environment: [String: String]) {
        guard let result = environment.text("SERVICE_RESULT") else { return nil }
        self.init(result: result, code: environment.text("EXIT_CODE"), status: environment.text("EXIT_STATUS"))
    }
}

nonisolated extension [String: String] {
    /// The value of a variable; nil when it is empty.
    fileprivate func text(_ variable: String) -> String? { self[variable].flatMap { $0.isEmpty ? nil : $0 } }
}
