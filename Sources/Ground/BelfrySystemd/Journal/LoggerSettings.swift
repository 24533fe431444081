// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// `[Logger]` of a configuration.
package nonisolated struct LoggerSettings: Sendable, Equatable {
    /// Whether notifications are logged.
    package var isEnabled = true
    /// The least urgent level that is logged.
    package var level = LogPriority.info
    /// Where records go.
    package var target = LogTarget.auto
    /// How records are written to standard error.
    package var format = RecordFormat.text

    /// The defaults.
    package init() {}
}
