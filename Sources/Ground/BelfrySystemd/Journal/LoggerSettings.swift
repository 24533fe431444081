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

/// Where records go.
package nonisolated enum LogTarget: String, Sendable, CaseIterable {
    /// To the journal when there is one, else to standard error. systemd gives a service /dev/null in place of a
    /// journald that does not run: then to the journal, as soon as it does.
    case auto
    /// To the journal.
    case journal
    /// To standard error.
    case stderr
    /// Nowhere.
    case null

    /// Makes the writer of the program `identifier`.
    @MainActor package func writer(identifier: String) throws -> any RecordWriter {
        switch self {
        case .journal: try JournalWriter(identifier: identifier)
        case .null: NullWriter()
        case .stderr: StandardErrorWriter(identifier: identifier)
        case .auto where JournalWriter.isOurs:
            (try? JournalWriter(identifier: identifier)) ?? StandardErrorWriter(identifier: identifier)
        case .auto where JournalWriter.isToCome: JournalWriter(identifier: identifier, to: JournalWriter.address)
        case .auto: StandardErrorWriter(identifier: identifier)
        }
    }
}
