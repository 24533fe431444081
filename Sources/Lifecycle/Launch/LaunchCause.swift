// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a start follows.
public nonisolated enum LaunchCause: String, Sendable, CaseIterable {
    /// The boot of the machine: no run in this boot is known.
    case boot
    /// A run that ended in order; somebody started the service again.
    case start
    /// A run that ended in order for the sake of a restart.
    case restart
    /// A run that ended in order with a failure: a refused launch, a failed part, a stop that was cut short.
    case failure
    /// A run that ended without a word.
    case crash
    /// A run that the watchdog of the service manager killed.
    case watchdog

    /// What a start follows, by what is known of the last run.
    ///
    /// - Parameters:
    ///   - previous: the last run; nil when none is known.
    ///   - bootID: the boot of this start.
    public init(after previous: ServiceRun?, bootID: String) {
        guard let previous, previous.bootID == bootID else {
            self = .boot
            return
        }
        if previous.exit?.result == "watchdog" {
            self = .watchdog
        } else if let word = previous.lastWord, word.kind == .stopped, previous.exit?.isKilled != true {
            self = word.exitStatus != 0 ? .failure : word.reason == .restart ? .restart : .start
        } else {
            self = .crash
        }
    }
}
