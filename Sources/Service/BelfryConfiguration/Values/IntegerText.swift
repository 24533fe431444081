// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Whole numbers in decimal digits.
nonisolated enum IntegerText {
    /// A number in `range`.
    ///
    /// - Throws: `ValueProblem` for anything else.
    static func parse<Number: FixedWidthInteger>(
        _ text: String, in range: ClosedRange<Number>
    ) throws(ValueProblem) -> Number {
        guard text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 }) else {
            throw ValueProblem("expected a whole number, not \(DisplayText.quoted(text))")
        }
        guard let number = Number(text), range.contains(number) else {
            let bounds = "\(range.lowerBound) to \(range.upperBound)"
            throw ValueProblem("number \(DisplayText.quoted(text)) is out of range, expected \(bounds)")
        }
        return number
    }
}
