// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What the coder writes as one value without asking it to encode itself.
nonisolated protocol UserInfoScalar {
    var userInfoValue: UserInfoValue { get }

    static func taken(from value: UserInfoValue) throws(UserInfoScalarProblem) -> Self
}

nonisolated extension Bool: UserInfoScalar {
    var userInfoValue: UserInfoValue { .bool(self) }

    static func taken(from value: UserInfoValue) throws(UserInfoScalarProblem) -> Bool {
        guard case .bool(let taken) = value else { throw .otherKind }
        return taken
    }
}

nonisolated extension String: UserInfoScalar {
    var userInfoValue: UserInfoValue { .string(self) }

    static func taken(from value: UserInfoValue) throws(UserInfoScalarProblem) -> String {
        guard case .string(let taken) = value else { throw .otherKind }
        return taken
    }
}

nonisolated extension Double: UserInfoScalar {
    var userInfoValue: UserInfoValue { .double(self) }

    static func taken(from value: UserInfoValue) throws(UserInfoScalarProblem) -> Double {
        switch value {
        case .double(let taken): return taken
        case .int(let number):
            guard let taken = Double(exactly: number) else { throw .outOfRange("\(number)") }
            return taken
        default: throw .otherKind
        }
    }
}

nonisolated extension Float: UserInfoScalar {
    var userInfoValue: UserInfoValue { .double(Double(self)) }

    static func taken(from value: UserInfoValue) throws(UserInfoScalarProblem) -> Float {
        let wide = try Double.taken(from: value)
        let taken = Float(wide)
        guard taken.isFinite || !wide.isFinite else { throw .outOfRange("\(wide)") }
        return taken
    }
}

/// An integer beyond `Int64` is written as its decimal digits, or a `Duration` of ten seconds, whose lower half is a
/// `UInt64` with its highest bit set, could not be stored.
nonisolated extension UserInfoScalar where Self: FixedWidthInteger {
    var userInfoValue: UserInfoValue {
        if let number = Int64(exactly: self) { .int(number) } else { .string(String(self)) }
    }

    static func taken(from value: UserInfoValue) throws(UserInfoScalarProblem) -> Self {
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

nonisolated extension Int: UserInfoScalar {}
nonisolated extension Int8: UserInfoScalar {}
nonisolated extension Int16: UserInfoScalar {}
nonisolated extension Int32: UserInfoScalar {}
nonisolated extension Int64: UserInfoScalar {}
nonisolated extension Int128: UserInfoScalar {}
nonisolated extension UInt: UserInfoScalar {}
nonisolated extension UInt8: UserInfoScalar {}
nonisolated extension UInt16: UserInfoScalar {}
nonisolated extension UInt32: UserInfoScalar {}
nonisolated extension UInt64: UserInfoScalar {}
nonisolated extension UInt128: UserInfoScalar {}
