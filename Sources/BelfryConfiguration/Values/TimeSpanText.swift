// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Time spans as systemd.time(7) writes them, in whole microseconds.
package nonisolated enum TimeSpanText {
    private static let units: [(names: [String], microseconds: UInt64)] = [
        (["usec", "us", "µs", "μs"], 1),
        (["msec", "ms"], 1000),
        (["seconds", "second", "sec", "s"], 1_000_000),
        (["minutes", "minute", "min", "m"], 60_000_000),
        (["hours", "hour", "hr", "h"], 3_600_000_000),
        (["days", "day", "d"], 86_400_000_000),
        (["weeks", "week", "w"], 604_800_000_000),
        (["months", "month", "M"], 2_629_800_000_000),
        (["years", "year", "y"], 31_557_600_000_000),
    ]
    private static let microsecondsByName = Dictionary(
        uniqueKeysWithValues: units.flatMap { unit in unit.names.map { ($0, unit.microseconds) } })

    /// `5s`, `1min 30s`, `1.5h`, `500ms`; a bare number counts seconds.
    ///
    /// - Returns: Nil for `infinity`.
    /// - Throws: `ValueProblem` for what is no time span or does not fit.
    package static func parse(_ text: String) throws(ValueProblem) -> Duration? {
        if text == "infinity" { return nil }
        var scanner = NumberScanner(text)
        var total: UInt64 = 0
        repeat {
            scanner.skipSpace()
            let start = scanner.offset
            let part = try scanner.next { scanner in
                scanner.skipSpace()
                return scanner.take(oneOf: microsecondsByName.keys).flatMap { microsecondsByName[$0] } ?? 1_000_000
            }
            guard let part, case let (sum, overflow) = total.addingReportingOverflow(part), !overflow,
                sum <= UInt64(Int64.max)
            else {
                throw ValueProblem("time span is too long", offset: start)
            }
            total = sum
            try checkNext(scanner)
        } while !scanner.isAtEnd
        return .microseconds(Int64(total))
    }

    private static func checkNext(_ scanner: NumberScanner) throws(ValueProblem) {
        let word = scanner.word(endsAtDigit: true)
        guard !word.isEmpty else { return }
        throw ValueProblem("unknown unit of time \(DisplayText.quoted(word))", offset: scanner.offset)
    }
}
