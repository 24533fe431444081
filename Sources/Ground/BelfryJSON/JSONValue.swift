// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A JSON value: what travels with a notification, on the socket, in the journal and in the files of the state
/// directory.
public nonisolated enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// Whether this is `null`, which Varlink treats as an absent field.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The truth value, or nil when this is no boolean.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer, or nil when this is no number without a fraction. JSON does not tell `1` from `1.0`.
    public var intValue: Int64? {
        switch self {
        case .int(let value): value
        // `Int64(exactly:)` would need libm in a debug build, which nothing here links.
        case .double(let value) where value >= -0x1p63 && value < 0x1p63 && Double(Int64(value)) == value: Int64(value)
        default: nil
        }
    }

    /// The text, or nil when this is no string.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, or nil when this is no array.
    public var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, or nil when this is no object.
    public var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member of that name, or nil when there is none or this is no object.
    public subscript(key: String) -> JSONValue? { objectValue?[key] }
}

nonisolated extension JSONValue: Equatable {
    /// Whether both are the same. Strings are compared as bytes; an integer is never equal to a double.
    @inline(never)  // otherwise each level of arrays and objects is a copy of all this
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

nonisolated extension JSONValue: CustomStringConvertible {
    /// Reads one JSON text (RFC 8259) in UTF-8 with nothing but white space around it.
    ///
    /// Two members of one object with the same name are an error. Integers that do not fit 64 bits become doubles.
    /// Nesting ends at 64 levels, a number at 512 characters.
    ///
    /// - Throws: what is wrong, and at which byte.
    public init(json: some Sequence<UInt8>) throws(JSONParseError) {
        let copy = ContiguousArray(json)
        self = try copy.withUnsafeBufferPointer { bytes throws(JSONParseError) in
            try JSONValue(json: bytes)
        }
    }

    /// Reads one JSON text without copying it.
    ///
    /// - Throws: what is wrong, and at which byte.
    package init(json bytes: UnsafeBufferPointer<UInt8>) throws(JSONParseError) {
        var parser = JSONParser(bytes)
        self = try parser.value()
        try parser.end()
    }

    /// The value as compact JSON in UTF-8. Doubles that JSON cannot express become `null`.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return Array(writer.bytes)
    }

    /// The value as compact JSON.
    public var description: String { String(decoding: json, as: UTF8.self) }
}

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
