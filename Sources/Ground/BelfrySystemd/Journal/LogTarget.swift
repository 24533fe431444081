// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Where records go.
package nonisolated enum LogTarget: String, Sendable, CaseIterable {
    /// To the journal when there is one, else to standard error.
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
        case .auto: StandardErrorWriter(identifier: identifier)
        }
    }
}
