// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What the words for the outcome of a listener's call mean, as replies and journal records have them.
package nonisolated enum OutcomeWord {
    /// A result or an outcome as an operator reads it.
    package static func text(_ word: String) -> String { word == "noData" ? "done" : word }

    /// Whether the listener missed its deadline.
    package static func isLate(_ word: String?) -> Bool { word == "overran" || word == "late" }

    /// Whether the listener refused, failed or missed its deadline.
    package static func isProblem(_ word: String?) -> Bool { ["failed", "refused"].contains(word) || isLate(word) }
}
