// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A type that is read from the text of a value, and not by its own `init(from:)`.
nonisolated protocol SettingScalar {
    static func parse(_ text: String) throws(ValueProblem) -> Self
}

nonisolated extension String: SettingScalar {
    static func parse(_ text: String) -> String { text }
}

nonisolated extension Bool: SettingScalar {
    static func parse(_ text: String) throws(ValueProblem) -> Bool { try BooleanText.parse(text) }
}

nonisolated extension Duration: SettingScalar {
    static func parse(_ text: String) throws(ValueProblem) -> Duration {
        guard let span = try TimeSpanText.parse(text) else {
            throw ValueProblem("expected a time span, it cannot be 'infinity'")
        }
        return span
    }
}

nonisolated extension ByteSize: SettingScalar {
    static func parse(_ text: String) throws(ValueProblem) -> ByteSize {
        guard let bytes = try ByteSizeText.parse(text) else {
            throw ValueProblem("expected a size, it cannot be 'infinity'")
        }
        return ByteSize(bytes: bytes)
    }
}

nonisolated extension SettingScalar where Self: BinaryFloatingPoint & LosslessStringConvertible {
    static func parse(_ text: String) throws(ValueProblem) -> Self {
        // Not `nan`, `inf` or hexadecimal digits.
        guard text.utf8.allSatisfy({ (48...57).contains($0) || "+-.eE".utf8.contains($0) }), let number = Self(text),
            number.isFinite
        else { throw ValueProblem("expected a number, not \(DisplayText.quoted(text))") }
        return number
    }
}

nonisolated extension SettingScalar where Self: FixedWidthInteger {
    static func parse(_ text: String) throws(ValueProblem) -> Self {
        try IntegerText.parse(text, in: Self.min...Self.max)
    }
}

nonisolated extension Double: SettingScalar {}
nonisolated extension Float: SettingScalar {}
nonisolated extension Int: SettingScalar {}
nonisolated extension Int8: SettingScalar {}
nonisolated extension Int16: SettingScalar {}
nonisolated extension Int32: SettingScalar {}
nonisolated extension Int64: SettingScalar {}
nonisolated extension Int128: SettingScalar {}
nonisolated extension UInt: SettingScalar {}
nonisolated extension UInt8: SettingScalar {}
nonisolated extension UInt16: SettingScalar {}
nonisolated extension UInt32: SettingScalar {}
nonisolated extension UInt64: SettingScalar {}
nonisolated extension UInt128: SettingScalar {}
