// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// The valid sections and keys. Append to `sections` to add more of them.
package nonisolated struct ConfigurationSchema: Sendable {
    /// The sections, in display order.
    package var sections: [SectionDescription]

    /// A schema with these sections.
    package init(_ sections: [SectionDescription]) {
        self.sections = sections
    }

    /// The section of that name.
    package func section(_ name: String) -> SectionDescription? {
        sections.first { $0.name.hasSameBytes(as: name) }
    }

    /// The sections of `belfry.conf`.
    package static let belfry = ConfigurationSchema([
        BelfrySections.service, BelfrySections.signals, BelfrySections.socket, BelfrySections.logger,
        BelfrySections.cache,
    ])
}

/// One section of the schema.
package nonisolated struct SectionDescription: Sendable {
    /// The name in the brackets.
    package let name: String
    /// The placeholder for a second word in the brackets, such as `NAME`; nil if there is none.
    package let instance: String?
    /// The listed keys, in display order.
    package let keys: [KeyDescription]
    /// The keys that are valid besides the listed ones.
    let openKeys: OpenKeys?

    /// A section.
    package init(
        _ name: String, instance: String? = nil, openKeys: OpenKeys? = nil, keys: [KeyDescription]
    ) {
        self.name = name
        self.instance = instance
        self.keys = keys
        self.openKeys = openKeys
    }

    /// The listed key of that name.
    package func key(_ name: String) -> KeyDescription? {
        keys.first { $0.name.hasSameBytes(as: name) }
    }
}

/// One key of a section.
package nonisolated struct KeyDescription: Sendable {
    package let name: String
    /// The kind of its value.
    package let kind: ValueKind
    /// The default as written in a file; empty for none.
    package let defaultText: String
    package let isRequired: Bool
    /// Whether a change needs a restart: a reload refuses it.
    package let needsRestart: Bool

    /// A key whose default is `defaultText`.
    package init(_ name: String, _ kind: ValueKind, default defaultText: String, needsRestart: Bool = false) {
        self.name = name
        self.kind = kind
        self.defaultText = defaultText
        self.isRequired = false
        self.needsRestart = needsRestart
    }

    /// A key that must be set.
    package init(required name: String, _ kind: ValueKind) {
        self.name = name
        self.kind = kind
        self.defaultText = ""
        self.isRequired = true
        self.needsRestart = false
    }

    /// The value of the default; nil for none.
    ///
    /// - Throws: `ValueProblem` if the schema is wrong.
    package func defaultValue() throws(ValueProblem) -> SettingValue? {
        if defaultText.isEmpty { return kind.isList ? .texts([]) : nil }
        var warnings: [ValueProblem] = []
        return try kind.parse(defaultText, &warnings)
    }
}

/// The keys of a section that are valid without being listed, as in `[Signals]`.
package nonisolated struct OpenKeys: Sendable {
    /// The canonical spelling of a key: `SIGUSR1` and `USR1` are the same key. Throws if there is no such key.
    let canonicalName: @Sendable (String) throws(ValueProblem) -> String
    /// The kind of the values.
    package let kind: ValueKind

    /// Keys that `canonicalName` accepts, with values of `kind`.
    package init(_ kind: ValueKind, canonicalName: @escaping @Sendable (String) throws(ValueProblem) -> String) {
        self.canonicalName = canonicalName
        self.kind = kind
    }

    /// The signals that can be mapped, by all of their names.
    package static let signals = OpenKeys(.signalAction) { text throws(ValueProblem) in
        let number = try SignalName.number(text)
        if let reason = SignalName.whyNotMappable(number) {
            throw ValueProblem("signal \(DisplayText.quoted(text)) cannot be mapped, \(reason)")
        }
        return SignalName.name(of: number) ?? text
    }
}
