// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Reads the types that do not decode themselves: their text has the syntax of systemd, or their own `init(from:)` expects
/// another form.
nonisolated enum SettingScalar {
    /// The parser for a type; nil for a type that decodes itself.
    static func parser(of type: Any.Type) -> ValueParser<Any>? {
        if type == String.self { return { text throws(ValueProblem) in text } }
        if type == Bool.self { return BooleanText.parse }
        if type == ByteSize.self { return { text throws(ValueProblem) in try ByteSize(text) } }
        if type == Duration.self { return duration }
        if let type = type as? any FixedWidthInteger.Type {
            return { text throws(ValueProblem) in try integer(text, as: type) }
        }
        if let type = type as? any (BinaryFloatingPoint & LosslessStringConvertible).Type {
            return { text throws(ValueProblem) in try number(text, as: type) }
        }
        return nil
    }

    private static func duration(_ text: String) throws(ValueProblem) -> Any {
        guard let span = try TimeSpanText.parse(text) else {
            throw ValueProblem("expected a time span, it cannot be 'infinity'")
        }
        return span
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
