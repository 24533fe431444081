// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Walks over text like `1min 30.5s` or `1G 500M`: a decimal number, perhaps with a fraction, then a unit.
nonisolated struct NumberScanner {
    private let scalars: [Unicode.Scalar]
    private(set) var offset = 0

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    var isAtEnd: Bool { offset == scalars.count }

    /// What comes next without white space in between, up to white space or, when `endsAtDigit`, a digit.
    func word(endsAtDigit: Bool) -> String {
        let word = scalars[offset...].prefix { scalar in
            !IniText.isSpace(scalar) && !(endsAtDigit && (scalar == "." || ("0"..."9").contains(scalar)))
        }
        return String(String.UnicodeScalarView(word))
    }

    mutating func skipSpace() {
        while offset < scalars.count, IniText.isSpace(scalars[offset]) { offset += 1 }
    }

    /// The next number times the unit that follows it, fractions of the result cut off.
    ///
    /// - Returns: Nil when the result does not fit.
    mutating func next(unit: (inout NumberScanner) -> UInt64) throws(ValueProblem) -> UInt64? {
        let start = offset
        let whole = digits()
        var fraction: [UInt64] = []
        if offset < scalars.count, scalars[offset] == "." {
            offset += 1
            fraction = digits()
            if fraction.isEmpty { throw ValueProblem("expected digits behind the '.'", offset: offset) }
        }
        guard !whole.isEmpty || !fraction.isEmpty else {
            throw ValueProblem("expected a number", offset: start)
        }
        let unit = unit(&self)
        var total: UInt64 = 0
        for digit in whole {
            guard let next = Self.sum(total.multipliedReportingOverflow(by: 10), digit) else { return nil }
            total = next
        }
        let (product, overflow) = total.multipliedReportingOverflow(by: unit)
        guard !overflow else { return nil }
        return Self.sum((product, false), Self.part(of: unit, fraction))
    }

    /// Takes the longest of `words` that comes next.
    mutating func take(oneOf words: some Sequence<String>) -> String? {
        let rest = scalars[offset...]
        let word = words.filter { rest.starts(with: $0.unicodeScalars) }.max {
            $0.unicodeScalars.count < $1.unicodeScalars.count
        }
        offset += word?.unicodeScalars.count ?? 0
        return word
    }

    private mutating func digits() -> [UInt64] {
        let run = scalars[offset...].prefix { ("0"..."9").contains($0) }
        offset = run.endIndex
        return run.map { UInt64($0.value - 48) }
    }

    /// `unit` times 0.`digits`, exact for as many digits as can matter.
    private static func part(of unit: UInt64, _ digits: [UInt64]) -> UInt64 {
        var (numerator, denominator): (UInt64, UInt64) = (0, 1)
        for digit in digits.prefix(18) {
            numerator = numerator * 10 + digit
            denominator *= 10
        }
        return denominator.dividingFullWidth(unit.multipliedFullWidth(by: numerator)).quotient
    }

    private static func sum(_ first: (partialValue: UInt64, overflow: Bool), _ second: UInt64) -> UInt64? {
        let (sum, overflow) = first.partialValue.addingReportingOverflow(second)
        return first.overflow || overflow ? nil : sum
    }
}
