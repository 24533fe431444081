// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// The levels of syslog(3), the most urgent first.
package nonisolated enum LogPriority: Int32, Sendable, CaseIterable, Comparable {
    case emergency = 0
    case alert, critical, error, warning, notice, info, debug

    /// The name that systemd and journalctl use, `emerg` to `debug`.
    package var name: String { Self.names[Int(rawValue)] }

    /// A name or a number from 0 to 7.
    package init?(_ text: String) {
        guard
            let number = Self.names.indices.first(where: {
                text.hasSameBytes(as: Self.names[$0]) || text.hasSameBytes(as: String($0))
            })
        else { return nil }
        self.init(rawValue: Int32(number))
    }

    /// The names of all levels.
    package static let names = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"]

    /// By urgency: `emergency` is the smallest.
    package static func < (first: LogPriority, second: LogPriority) -> Bool { first.rawValue < second.rawValue }
}
