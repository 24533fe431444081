// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Why a service starts: how its last run ended.
public nonisolated enum LaunchCause: String, Sendable, CaseIterable {
    /// The boot of the machine: no run in this boot is known.
    case boot
    /// A run that ended in order; the service was started again.
    case start
    /// A run that ended in order because of a restart.
    case restart
    /// A run that ended in order with a failure: a refused launch, a failed part, a stop that was cut short.
    case failure
    /// A run that did not end in order: the process crashed or was killed, perhaps while it was paused or stopping.
    case crash
    /// A run that the watchdog of the service manager killed.
    case watchdog

    /// Derives the cause of a start from the last run.
    ///
    /// - Parameters:
    ///   - previous: the last run; nil when none is known.
    ///   - bootID: the boot of this start.
    package init(after previous: ServiceRun?, bootID: String) {
        guard let previous, previous.bootID == bootID else {
            self = .boot
            return
        }
        if previous.exit?.result == "watchdog" {
            self = .watchdog
        } else if let record = previous.exitRecord, record.kind == .stopped, previous.exit?.isKilled != true {
            self = record.exitStatus != 0 ? .failure : record.reason == .restart ? .restart : .start
        } else {
            self = .crash
        }
    }
}
