// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle

nonisolated extension LaunchOptions {
    /// What the environment of a process says of its start.
    ///
    /// - Parameters:
    ///   - environment: its variables. A number that is none counts as not set.
    ///   - descriptors: the names of the descriptors that were handed over, and whether each came from the store.
    package init(
        environment: [String: String], descriptors: [(name: String, isStored: Bool)] = [], credentials: [String] = []
    ) {
        func text(_ variable: String) -> String? { environment[variable].flatMap { $0.isEmpty ? nil : $0 } }
        self.init()
        socketNames = descriptors.filter { !$0.isStored }.map(\.name)
        storedNames = descriptors.filter(\.isStored).map(\.name)
        triggerUnit = text("TRIGGER_UNIT")
        triggerPath = text("TRIGGER_PATH")
        triggerRealtimeUsec = text("TRIGGER_TIMER_REALTIME_USEC").flatMap { UInt64($0) }
        triggerMonotonicUsec = text("TRIGGER_TIMER_MONOTONIC_USEC").flatMap { UInt64($0) }
        monitored = text("MONITOR_UNIT").map {
            MonitoredUnit(
                unit: $0, invocationID: text("MONITOR_INVOCATION_ID"),
                exit: UnitExit(environment: environment, prefix: "MONITOR_"))
        }
        invocationID = text("INVOCATION_ID")
        execPID = text("SYSTEMD_EXEC_PID").flatMap { Int32($0) }
        credentialsDirectory = text("CREDENTIALS_DIRECTORY")
        credentialNames = credentials.sorted()
    }
}
