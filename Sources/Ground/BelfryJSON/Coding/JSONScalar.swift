// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A type that the coder converts itself, without calling its `encode(to:)`.
nonisolated protocol JSONScalar {
    var jsonValue: JSONValue { get }

    static func converted(from value: JSONValue) throws(JSONScalarProblem) -> Self
}

nonisolated extension Bool: JSONScalar {
    var jsonValue: JSONValue { .bool(self) }

    static func converted(from value: JSONValue) throws(JSONScalarProblem) -> Bool {
        guard case .bool(let converted) = value else { throw .otherKind }
        return converted
    }
}

nonisolated extension String: JSONScalar {
    var jsonValue: JSONValue { .string(self) }

    static func converted(from value: JSONValue) throws(JSONScalarProblem) -> String {
        guard case .string(let converted) = value else { throw .otherKind }
        return converted
    }
}

nonisolated extension Double: JSONScalar {
    var jsonValue: JSONValue { .double(self) }

    static func converted(from value: JSONValue) throws(JSONScalarProblem) -> Double {
        switch value {
        case .double(let converted): return converted
        case .int(let number):
            guard let converted = Double(exactly: number) else { throw .outOfRange("\(number)") }
            return converted
        default: throw .otherKind
        }
    }
}

nonisolated extension Float: JSONScalar {
    var jsonValue: JSONValue { .double(Double(self)) }

    static func converted(from value: JSONValue) throws(JSONScalarProblem) -> Float {
        let wide = try Double.converted(from: value)
        let converted = Float(wide)
        guard converted.isFinite || !wide.isFinite else { throw .outOfRange("\(wide)") }
        return converted
    }
}

/// An integer beyond `Int64` is written as its decimal digits. Otherwise a `Duration` of ten seconds could not be
/// encoded: its lower half is a `UInt64` with the highest bit set.
nonisolated extension JSONScalar where Self: FixedWidthInteger {
    var jsonValue: JSONValue {
        if let number = Int64(exactly: self) { .int(number) } else { .string(String(self)) }
    }

    static func converted(from value: JSONValue) throws(JSONScalarProblem) -> Self {
        switch value {
        case .int(let number):
            guard let converted = Self(exactly: number) else { throw .outOfRange("\(number)") }
            return converted
        case .string(let digits):
            guard isWide, let converted = Self(digits), Int64(exactly: converted) == nil, String(converted) == digits
            else {
                throw .otherKind
            }
            return converted
        default: throw .otherKind
        }
    }

    /// Whether the type has values beyond `Int64`.
    private static var isWide: Bool { bitWidth == 64 && !isSigned }
}

nonisolated extension Int: JSONScalar {}
nonisolated extension Int8: JSONScalar {}
nonisolated extension Int16: JSONScalar {}
nonisolated extension Int32: JSONScalar {}
nonisolated extension Int64: JSONScalar {}
nonisolated extension UInt: JSONScalar {}
nonisolated extension UInt8: JSONScalar {}
nonisolated extension UInt16: JSONScalar {}
nonisolated extension UInt32: JSONScalar {}
nonisolated extension UInt64: JSONScalar {}

/// Why a value cannot be converted.
nonisolated enum JSONScalarProblem: Error {
    /// It is of another kind.
    case otherKind
    /// It is a number that the type cannot hold.
    case outOfRange(String)
}

/// A key from an index or any string, such as `super`.
nonisolated struct JSONCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    /// The key of a superclass's part, as in Foundation's coders.
    static let parent = JSONCodingKey(stringValue: "super")

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}
