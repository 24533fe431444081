// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Reads the types that do not decode themselves: their text has the syntax of systemd, or their own `init(from:)` expects
/// another form.
nonisolated enum SettingScalar {
    /// The value of a text; nil for a type that decodes itself.
    ///
    /// - Throws: `ValueProblem` for text that is no value of the type.
    static func parse(_ text: String, as type: Any.Type) throws(ValueProblem) -> Any? {
        if type == String.self { return text }
        if type == Bool.self { return try BooleanText.parse(text) }
        if type == ByteSize.self { return try ByteSize(text) }
        if type == Duration.self {
            guard let span = try TimeSpanText.parse(text) else {
                throw ValueProblem("expected a time span, it cannot be 'infinity'")
            }
            return span
        }
        if let type = type as? any FixedWidthInteger.Type { return try integer(text, as: type) }
        if let type = type as? any (BinaryFloatingPoint & LosslessStringConvertible).Type {
            return try number(text, as: type)
        }
        return nil
    }

    /// Whether `parse` reads this type.
    static func reads(_ type: Any.Type) -> Bool {
        type == String.self || type == Bool.self || type == ByteSize.self || type == Duration.self
            || type is any FixedWidthInteger.Type || type is any (BinaryFloatingPoint & LosslessStringConvertible).Type
    }

    private static func integer<Number: FixedWidthInteger>(
        _ text: String, as type: Number.Type
    ) throws(ValueProblem) -> Any {
        try IntegerText.parse(text, in: Number.min...Number.max)
    }

    private static func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ text: String, as type: Number.Type
    ) throws(ValueProblem) -> Any {
        // Not `nan`, `inf` or hexadecimal digits.
        guard text.utf8.allSatisfy({ (48...57).contains($0) || "+-.eE".utf8.contains($0) }), let number = Number(text),
            number.isFinite
        else { throw ValueProblem("expected a number, not \(DisplayText.quoted(text))") }
        return number
    }
}
