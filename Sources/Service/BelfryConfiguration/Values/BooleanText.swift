// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Booleans in the syntax of systemd.syntax(7).
package nonisolated enum BooleanText {
    private static let words: [(text: String, value: Bool)] = [
        ("yes", true), ("y", true), ("true", true), ("t", true), ("on", true), ("1", true),
        ("no", false), ("n", false), ("false", false), ("f", false), ("off", false), ("0", false),
    ]

    /// `yes`, `true`, `on`, `1`, their opposites, and the single letters that systemd accepts; ASCII case is ignored.
    ///
    /// - Throws: `ValueProblem` for anything else.
    package static func parse(_ text: String) throws(ValueProblem) -> Bool {
        let lowered = text.utf8.lazy.map { (65...90).contains($0) ? $0 + 32 : $0 }
        guard let word = words.first(where: { lowered.elementsEqual($0.text.utf8) }) else {
            throw ValueProblem("expected 'yes' or 'no', not \(DisplayText.quoted(text))")
        }
        return word.value
    }
}
