// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Time spans as systemd.time(7) writes them, in whole microseconds. Text is accepted and refused as systemd does, with one
/// difference: spans above 2^63 - 1 microseconds (292,271 years) are refused, which systemd takes up to twice that when
/// several parts add up to it.
package nonisolated enum TimeSpanText {
    /// Of two units that begin alike, the longer one comes first.
    private static let units: [(name: String, microseconds: UInt64)] = [
        ("seconds", 1_000_000), ("second", 1_000_000), ("sec", 1_000_000), ("s", 1_000_000),
        ("minutes", 60_000_000), ("minute", 60_000_000), ("min", 60_000_000),
        ("months", 2_629_800_000_000), ("month", 2_629_800_000_000), ("M", 2_629_800_000_000),
        ("msec", 1000), ("ms", 1000), ("m", 60_000_000),
        ("hours", 3_600_000_000), ("hour", 3_600_000_000), ("hr", 3_600_000_000), ("h", 3_600_000_000),
        ("days", 86_400_000_000), ("day", 86_400_000_000), ("d", 86_400_000_000),
        ("weeks", 604_800_000_000), ("week", 604_800_000_000), ("w", 604_800_000_000),
        ("years", 31_557_600_000_000), ("year", 31_557_600_000_000), ("y", 31_557_600_000_000),
        ("usec", 1), ("us", 1), ("\u{3BC}s", 1), ("\u{B5}s", 1),
    ]

    /// `5s`, `1min 30s`, `1.5h`, `500ms`; a bare number counts seconds.
    ///
    /// - Returns: Nil for `infinity`.
    /// - Throws: `ValueProblem` for what is no time span or does not fit.
    package static func parse(_ text: String) throws(ValueProblem) -> Duration? {
        var scanner = NumberScanner(text)
        scanner.skipSpace()
        if scanner.take(oneOf: ["infinity"]) != nil {
            scanner.skipSpace()
            guard scanner.isAtEnd else { throw scanner.problem("expected nothing behind 'infinity'") }
            return nil
        }
        var total: UInt64 = 0
        repeat {
            let start = scanner.index
            guard let part = try nextPart(&scanner), case let (sum, overflow) = total.addingReportingOverflow(part),
                !overflow, sum <= UInt64(Int64.max)
            else {
                throw scanner.problem("time span is too long", at: start)
            }
            total = sum
            scanner.skipSpace()
        } while !scanner.isAtEnd
        return .microseconds(Int64(total))
    }

    /// One number with its unit.
    ///
    /// - Returns: Nil when it does not fit.
    private static func nextPart(_ scanner: inout NumberScanner) throws(ValueProblem) -> UInt64? {
        let start = scanner.index
        let whole = scanner.signedDigits()
        var fraction: ArraySlice<UInt8> = []
        if scanner.skip(UInt8(ascii: ".")) {
            fraction = scanner.digits()
            if fraction.isEmpty { throw scanner.problem("expected digits behind the '.'") }
        }
        guard scanner.index > start else { throw scanner.problem("expected a number") }
        let hasSpace = scanner.skipSpace()
        let name = scanner.take(oneOf: units.lazy.map(\.name))
        // '12.34 .56' and '12.34s.56' are two parts, '12.34.56' is a mistake.
        guard name != nil || scanner.isAtEnd || hasSpace && scanner.isAtNumber else {
            throw scanner.problem("unknown unit of time \(DisplayText.quoted(scanner.word))")
        }
        let unit = units.first { $0.name == name }?.microseconds ?? 1_000_000
        guard let number = NumberScanner.number(whole),
            case let (product, overflow) = number.multipliedReportingOverflow(by: unit), !overflow
        else { return nil }
        // Each digit is cut off for itself, as in systemd: that counts in years and months.
        var (sum, digitUnit) = (product, unit / 10)
        for digit in fraction where digitUnit > 0 {
            let (next, overflow) = sum.addingReportingOverflow(UInt64(digit - 48) * digitUnit)
            guard !overflow else { return nil }
            (sum, digitUnit) = (next, digitUnit / 10)
        }
        return sum
    }
}
