// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A value that can travel with a notification, in the process and over the socket: what JSON can say.
public nonisolated enum UserInfoValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([UserInfoValue])
    case object(UserInfo)
}

nonisolated extension UserInfoValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// The value that is written in code.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// The value that is written in code.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// The value that is written in code.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// The value that is written in code.
    public init(stringLiteral value: String) { self = .string(value) }
    /// The value that is written in code.
    public init(arrayLiteral elements: UserInfoValue...) { self = .array(elements) }
    /// The value that is written in code.
    public init(dictionaryLiteral elements: (String, UserInfoValue)...) {
        self = .object(UserInfo(elements) { _, last in last })
    }
}
