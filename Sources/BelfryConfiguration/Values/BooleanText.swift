// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Booleans as systemd.syntax(7) writes them.
package nonisolated enum BooleanText {
    private static let yes: Set<String> = ["yes", "y", "true", "t", "on", "1"]
    private static let no: Set<String> = ["no", "n", "false", "f", "off", "0"]

    /// `yes`, `true`, `on`, `1`, their opposites, and the single letters that systemd takes too; case does not count.
    ///
    /// - Throws: `ValueProblem` for anything else.
    package static func parse(_ text: String) throws(ValueProblem) -> Bool {
        let lowered = text.lowercased()
        if yes.contains(lowered) { return true }
        if no.contains(lowered) { return false }
        throw ValueProblem("expected 'yes' or 'no', not \(DisplayText.quoted(text))")
    }
}
