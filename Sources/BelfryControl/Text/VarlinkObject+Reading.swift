// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import SystemErrors
internal import Varlink

/// What belfryctl shows of a reply. A service of another version may leave something out: that is shown as a dash.
nonisolated extension JSONObject {
    /// A text, fit for one line of a terminal; nil when there is none.
    func text(_ key: String) -> String? { self[key]?.stringValue.map(SystemError.escape) }

    /// A text, or a dash.
    func textOrDash(_ key: String) -> String { text(key) ?? "-" }

    /// A number; nil when there is none.
    func number(_ key: String) -> Int64? { self[key]?.intValue }

    /// A number, or a dash.
    func numberOrDash(_ key: String) -> String { number(key).map { "\($0)" } ?? "-" }

    /// A length of time given in microseconds, or a dash.
    func lengthOrDash(_ key: String) -> String { number(key).map(DurationText.text(microseconds:)) ?? "-" }

    /// The objects in an array.
    func objects(_ key: String) -> [JSONObject] { self[key]?.arrayValue?.compactMap(\.objectValue) ?? [] }

    /// The texts in an array.
    func texts(_ key: String) -> [String] {
        self[key]?.arrayValue?.compactMap(\.stringValue).map(SystemError.escape) ?? []
    }
}
