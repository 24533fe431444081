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
}
