// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

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
