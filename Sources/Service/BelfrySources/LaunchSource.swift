// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import BelfrySystemd
package import Lifecycle

/// Finds out how and why the process was started.
package nonisolated enum LaunchSource {
    /// The launch options from the environment, the descriptors that were handed over and the credentials.
    ///
    /// - Parameter descriptors: those that the service manager handed over, without those of components.
    package static func options(
        _ environment: [String: String], _ descriptors: [(name: String, descriptor: Int32)]
    ) -> LaunchOptions {
        let names = (try? environment["CREDENTIALS_DIRECTORY"].map(DirectoryContent.names)) ?? []
        return LaunchOptions(
            environment: environment,
            descriptors: descriptors.map { ($0.name, ListenDescriptors.isStored($0.descriptor, named: $0.name)) },
            credentials: names.filter { !$0.hasPrefix(".") })
    }
}

nonisolated extension LaunchOptions {
    /// The launch options from the environment of a process.
    ///
    /// - Parameters:
    ///   - environment: its variables. A number that is none counts as not set.
    ///   - descriptors: the names of the descriptors that were handed over, and whether each came from the store.
    package init(
        environment: [String: String], descriptors: [(name: String, isStored: Bool)] = [], credentials: [String] = []
    ) {
        func text(_ variable: String) -> String? { environment[variable].flatMap { $0.isEmpty ? nil : $0 } }
        func time(_ variable: String) -> Duration? { text(variable).flatMap { UInt64($0) }.map { .microseconds($0) } }
        self.init()
        socketNames = descriptors.filter { !$0.isStored }.map(\.name)
        storedNames = descriptors.filter(\.isStored).map(\.name)
        triggerUnit = text("TRIGGER_UNIT")
        triggerPath = text("TRIGGER_PATH")
        triggerRealtime = time("TRIGGER_TIMER_REALTIME_USEC")
        triggerMonotonic = time("TRIGGER_TIMER_MONOTONIC_USEC")
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

nonisolated extension UnitExit {
    /// How a service ended: `$SERVICE_RESULT`, `$EXIT_CODE` and `$EXIT_STATUS`, which systemd sets for
    /// `ExecStopPost=`, and with the prefix `MONITOR_` in a unit that was started because the service ended.
    ///
    /// - Returns: nil when the variables are not there.
    package init?(environment: [String: String], prefix: String = "") {
        func text(_ variable: String) -> String? { environment[prefix + variable].flatMap { $0.isEmpty ? nil : $0 } }
        guard let result = text("SERVICE_RESULT") else { return nil }
        self.init(result: result, code: text("EXIT_CODE"), status: text("EXIT_STATUS"))
    }
}
