// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What the coder writes as one value without asking it to encode itself.
nonisolated protocol JSONScalar {
    var jsonValue: JSONValue { get }

    static func taken(from value: JSONValue) throws(JSONScalarProblem) -> Self
}

nonisolated extension Bool: JSONScalar {
    var jsonValue: JSONValue { .bool(self) }

    static func taken(from value: JSONValue) throws(JSONScalarProblem) -> Bool {
        guard case .bool(let taken) = value else { throw .otherKind }
        return taken
    }
}

nonisolated extension String: JSONScalar {
    var jsonValue: JSONValue { .string(self) }

    static func taken(from value: JSONValue) throws(JSONScalarProblem) -> String {
        guard case .string(let taken) = value else { throw .otherKind }
        return taken
    }
}

nonisolated extension Double: JSONScalar {
    var jsonValue: JSONValue { .double(self) }

    static func taken(from value: JSONValue) throws(JSONScalarProblem) -> Double {
        switch value {
        case .double(let taken): return taken
        case .int(let number):
            guard let taken = Double(exactly: number) else { throw .outOfRange("\(number)") }
            return taken
        default: throw .otherKind
        }
    }
}

nonisolated extension Float: JSONScalar {
    var jsonValue: JSONValue { .double(Double(self)) }

    static func taken(from value: JSONValue) throws(JSONScalarProblem) -> Float {
        let wide = try Double.taken(from: value)
        let taken = Float(wide)
        guard taken.isFinite || !wide.isFinite else { throw .outOfRange("\(wide)") }
        return taken
    }
}

/// An integer beyond `Int64` is written as its decimal digits, or a `Duration` of ten seconds, whose lower half is a
/// `UInt64` with its highest bit set, could not be stored.
nonisolated extension JSONScalar where Self: FixedWidthInteger {
    var jsonValue: JSONValue {
        if let number = Int64(exactly: self) { .int(number) } else { .string(String(self)) }
    }

    static func taken(from value: JSONValue) throws(JSONScalarProblem) -> Self {
        switch value {
        case .int(let number):
            guard let taken = Self(exactly: number) else { throw .outOfRange("\(number)") }
            return taken
        case .string(let digits):
            guard isWide, let taken = Self(digits), Int64(exactly: taken) == nil, String(taken) == digits else {
                throw .otherKind
            }
            return taken
        default: throw .otherKind
        }
    }

    /// Whether there are values beyond `Int64`.
    private static var isWide: Bool { bitWidth > 64 || (bitWidth == 64 && !isSigned) }
}

nonisolated extension Int: JSONScalar {}
nonisolated extension Int8: JSONScalar {}
nonisolated extension Int16: JSONScalar {}
nonisolated extension Int32: JSONScalar {}
nonisolated extension Int64: JSONScalar {}
nonisolated extension Int128: JSONScalar {}
nonisolated extension UInt: JSONScalar {}
nonisolated extension UInt8: JSONScalar {}
nonisolated extension UInt16: JSONScalar {}
nonisolated extension UInt32: JSONScalar {}
nonisolated extension UInt64: JSONScalar {}
nonisolated extension UInt128: JSONScalar {}

/// Why a value is not what was asked for.
nonisolated enum JSONScalarProblem: Error {
    /// It is of another kind.
    case otherKind
    /// It is a number, written here, that the type cannot hold.
    case outOfRange(String)
}

/// A key made from whatever there is: the place in an array, or `super`.
nonisolated struct JSONCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    /// Where a superclass keeps its part, as Foundation's coders have it.
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
