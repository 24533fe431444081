// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

nonisolated extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
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
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// The value that is written in code.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}
