// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A command that tells by its exit status whether something works: `Health=`.
package nonisolated struct HealthCheck: Sendable, Equatable {
    /// The reason of a health that is unknown because no run has ended.
    package static let hasNotRun = "Health= has not run yet"

    /// The command.
    package let command: ExecCommand
    /// When it is run.
    package let schedule: HealthSchedule
}

/// When `Health=` is run, and which failures count.
package nonisolated struct HealthSchedule: Sendable, Equatable {
    /// How often it is run.
    package let interval: Duration
    /// How long after the start failures do not count, unless it has succeeded.
    package let start: Duration
    /// How many failures in a row count.
    package let retries: Int

    init(_ section: SectionReader) {
        interval = section.value("HealthInterval", TimeSpanText.healthInterval, default: "30s")
        start = section.value("HealthStart", TimeSpanText.healthStart, default: "0")
        retries = section.integer("HealthRetries", in: 1...1000, default: 3)
    }
}
