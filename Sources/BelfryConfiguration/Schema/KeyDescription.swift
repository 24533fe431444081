// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One key of a section, as the table of all keys lists it.
package nonisolated struct KeyDescription: Sendable {
    /// The key, as it is written.
    package let name: String
    /// What its value must look like.
    package let kind: ValueKind
    /// The default as it would be written; empty for none.
    package let defaultText: String
    /// Whether it must be set.
    package let isRequired: Bool
    /// Whether a change takes a restart: a reload refuses it.
    package let needsRestart: Bool
    /// What it does, in one line.
    package let help: String

    /// A key whose default is `defaultText`.
    package init(
        _ name: String, _ kind: ValueKind, default defaultText: String, needsRestart: Bool = false, help: String
    ) {
        self.name = name
        self.kind = kind
        self.defaultText = defaultText
        self.isRequired = false
        self.needsRestart = needsRestart
        self.help = help
    }

    /// A key that must be set.
    package init(required name: String, _ kind: ValueKind, help: String) {
        self.name = name
        self.kind = kind
        self.defaultText = ""
        self.isRequired = true
        self.needsRestart = false
        self.help = help
    }

    /// The value of the default; nil for none.
    ///
    /// - Throws: `ValueProblem` when the table is wrong.
    package func defaultValue() throws(ValueProblem) -> SettingValue? {
        if defaultText.isEmpty { return kind.isList ? .texts([]) : nil }
        var doubts: [ValueProblem] = []
        return try kind.parse(defaultText, &doubts)
    }
}
