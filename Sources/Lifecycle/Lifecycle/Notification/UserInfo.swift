// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// The user info of a notification is JSON, in the process and on the socket.
@_exported public import BelfryJSON

/// The additional values of a notification by key: a JSON object.
public typealias UserInfo = JSONObject

/// Typed access to values.
nonisolated extension UserInfo {
    /// A text; nil when there is none.
    package func text(_ key: String) -> String? { if case .string(let text) = self[key] { text } else { nil } }

    /// A whole number; nil when there is none that fits the type asked for.
    package func number<Number: FixedWidthInteger>(_ key: String, as _: Number.Type = Number.self) -> Number? {
        if case .int(let number) = self[key] { Number(exactly: number) } else { nil }
    }

    /// A number of microseconds; nil when there is none.
    package func duration(_ key: String) -> Duration? { number(key, as: Int64.self).map { .microseconds($0) } }

    /// More values by key; nil when there are none.
    package func object(_ key: String) -> UserInfo? { if case .object(let info) = self[key] { info } else { nil } }
}
