// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// One section of `belfry.conf`.
package nonisolated struct SectionDescription: Sendable {
    /// The name in the brackets.
    package let name: String
    /// The placeholder for a second word in the brackets, such as `NAME`; nil if there is none.
    package let instance: String?
    /// Keys that are not listed; nil if there are none.
    let others: OtherKeys?
    /// The listed keys, in display order.
    package let keys: [KeyDescription]

    init(_ name: String, instance: String? = nil, others: OtherKeys? = nil, keys: [KeyDescription]) {
        self.name = name
        self.instance = instance
        self.others = others
        self.keys = keys
    }

    /// The listed key of that name.
    package func key(_ name: String) -> KeyDescription? {
        keys.first { $0.name.hasSameBytes(as: name) }
    }
}

/// The keys of a section whose names are not all listed.
package nonisolated struct OtherKeys: Sendable {
    /// The kind of their values.
    let kind: ValueKind
    /// The one spelling of a key. A doubt is added to the warnings.
    let name: @Sendable (_ text: String, _ warnings: inout [ValueProblem]) throws(ValueProblem) -> String
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

    /// A key whose default is `defaultText`, or which must be set if that is nil.
    init(_ name: String, _ kind: ValueKind, default defaultText: String?, needsRestart: Bool = false) {
        self.name = name
        self.kind = kind
        self.defaultText = defaultText ?? ""
        self.isRequired = defaultText == nil
        self.needsRestart = needsRestart
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
