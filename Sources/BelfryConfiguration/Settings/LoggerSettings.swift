// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// `[Logger]`.
package nonisolated struct LoggerSettings: Sendable, Equatable {
    /// Whether notifications are logged.
    package var isEnabled: Bool
    /// The least urgent level that is logged.
    package var level: LogPriority
    /// Where records go.
    package var target: LoggerTarget

    init(_ section: EffectiveSection) {
        isEnabled = section.boolean("Enabled")
        level = section.priority("Level")
        target = section.choice("Target")
    }
}

/// Where log records go.
package nonisolated enum LoggerTarget: String, Sendable, CaseIterable {
    /// To the journal when there is one, else to standard error.
    case auto
    /// To the journal.
    case journal
    /// To standard error.
    case stderr
    /// To the kernel's log.
    case kmsg
    /// Nowhere.
    case null
}
