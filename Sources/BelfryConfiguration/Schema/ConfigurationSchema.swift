// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// The table of all sections and keys. It is a value: append to `sections` to have more of them.
package nonisolated struct ConfigurationSchema: Sendable {
    /// The sections, in the order to show them.
    package var sections: [SectionDescription]

    /// A table of these sections.
    package init(_ sections: [SectionDescription]) {
        self.sections = sections
    }

    /// The section of that name.
    package func section(_ name: String) -> SectionDescription? {
        sections.first { $0.name.hasSameBytes(as: name) }
    }

    /// Belfry's own.
    package static let belfry = ConfigurationSchema([
        BelfrySections.service, BelfrySections.signals, BelfrySections.socket, BelfrySections.logger,
        BelfrySections.cache,
    ])
}

/// One section of the configuration, as the table of all keys lists it.
package nonisolated struct SectionDescription: Sendable {
    /// The name in the brackets.
    package let name: String
    /// What a second word in the brackets stands for, such as `NAME`; nil when there is none.
    package let instance: String?
    /// What the section is about, in one line.
    package let help: String
    /// The keys that have a default or are listed for another reason, in the order to show them.
    package let keys: [KeyDescription]
    /// Which keys it takes besides the listed ones.
    let openKeys: OpenKeys?

    /// A section.
    package init(
        _ name: String, instance: String? = nil, help: String, openKeys: OpenKeys? = nil, keys: [KeyDescription]
    ) {
        self.name = name
        self.instance = instance
        self.help = help
        self.keys = keys
        self.openKeys = openKeys
    }

    /// The listed key of that name.
    package func key(_ name: String) -> KeyDescription? {
        keys.first { $0.name.hasSameBytes(as: name) }
    }
}

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

/// For a section whose keys are not all listed, such as `[Signals]`: which others it takes.
package nonisolated struct OpenKeys: Sendable {
    /// The one spelling that all spellings of a key stand for, so that `SIGUSR1` and `USR1` are the same key;
    /// throws when there is no such key.
    let canonicalName: @Sendable (String) throws(ValueProblem) -> String
    /// What the values must look like.
    package let kind: ValueKind

    /// Keys that `canonicalName` accepts, with values of `kind`.
    package init(_ kind: ValueKind, canonicalName: @escaping @Sendable (String) throws(ValueProblem) -> String) {
        self.canonicalName = canonicalName
        self.kind = kind
    }

    /// Signals that can be mapped, by all their names.
    package static let signals = OpenKeys(.signalAction) { text throws(ValueProblem) in
        let number = try SignalName.number(text)
        if let reason = SignalName.whyNotMappable(number) {
            throw ValueProblem("signal \(DisplayText.quoted(text)) cannot be mapped, \(reason)")
        }
        return SignalName.name(of: number) ?? text
    }
}
