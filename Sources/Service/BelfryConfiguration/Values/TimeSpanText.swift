// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Time spans in the syntax of systemd.time(7), in whole microseconds. Text is valid if systemd accepts it, except that
/// a time span may not exceed 2^63 - 1 microseconds (292,271 years). systemd accepts a sum of parts up to twice that.
package nonisolated enum TimeSpanText {
    /// A unit comes before those that are a prefix of it.
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
    /// - Returns: nil for `infinity`.
    /// - Throws: `ValueProblem` for an invalid or too long time span.
    package static func parse(_ text: String) throws(ValueProblem) -> Duration? {
        var scanner = NumberScanner(text)
        scanner.skipSpace()
        if scanner.consume(oneOf: ["infinity"]) != nil {
            scanner.skipSpace()
            guard scanner.isAtEnd else { throw scanner.problem("expected nothing after 'infinity'") }
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
    /// - Returns: nil on overflow.
    private static func nextPart(_ scanner: inout NumberScanner) throws(ValueProblem) -> UInt64? {
        let start = scanner.index
        let whole = scanner.signedDigits()
        var fraction: ArraySlice<UInt8> = []
        if scanner.skip(UInt8(ascii: ".")) {
            fraction = scanner.digits()
            if fraction.isEmpty { throw scanner.problem("expected digits after the '.'") }
        }
        guard scanner.index > start else {
            throw scanner.problem("expected a number with a unit of time, such as '30s'")
        }
        let hasSpace = scanner.skipSpace()
        let name = scanner.consume(oneOf: units.lazy.map(\.name))
        // '12.34 .56' and '12.34s.56' are two parts, '12.34.56' is invalid.
        guard name != nil || scanner.isAtEnd || hasSpace && scanner.isAtNumber else {
            throw scanner.problem("unknown unit of time \(DisplayText.quoted(scanner.word))")
        }
        let unit = units.first { $0.name == name }?.microseconds ?? 1_000_000
        guard let number = NumberScanner.number(whole),
            case let (product, overflow) = number.multipliedReportingOverflow(by: unit), !overflow
        else { return nil }
        // Each digit is truncated separately, as in systemd, which matters for years and months.
        var (sum, digitUnit) = (product, unit / 10)
        for digit in fraction where digitUnit > 0 {
            let (next, overflow) = sum.addingReportingOverflow(UInt64(digit - 48) * digitUnit)
            guard !overflow else { return nil }
            (sum, digitUnit) = (next, digitUnit / 10)
        }
        return sum
    }
}

/// Scans the bytes of text such as `1min 30.5s` or `1G 500M` by the rules of systemd and strtoull(3).
nonisolated struct NumberScanner {
    private let bytes: [UInt8]
    private(set) var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { index == bytes.count }

    var next: UInt8? { isAtEnd ? nil : bytes[index] }

    /// Whether the next byte can begin a number.
    var isAtNumber: Bool {
        next.map { (48...57).contains($0) || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains($0) }
            ?? false
    }

    /// A problem at `start`, by default at the current position.
    func problem(_ message: String, at start: Int? = nil) -> ValueProblem {
        ValueProblem(message, offset: bytes[..<(start ?? index)].reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) })
    }

    /// - Returns: whether there was any space.
    @discardableResult mutating func skipSpace() -> Bool {
        let start = index
        while let byte = next, IniText.isSpace(Unicode.Scalar(byte)) { index += 1 }
        return index > start
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    /// Consumes the next digits; there may be none.
    mutating func digits() -> ArraySlice<UInt8> {
        let run = bytes[index...].prefix { (48...57).contains($0) }
        index = run.endIndex
        return run
    }

    /// Consumes the next digits and a plus sign before them; there may be none.
    mutating func signedDigits() -> ArraySlice<UInt8> {
        let start = index
        let hasSign = skip(UInt8(ascii: "+"))
        let run = digits()
        if hasSign, run.isEmpty { index = start }
        return run
    }

    /// Consumes the first of `words` that is next.
    mutating func consume(oneOf words: some Sequence<String>) -> String? {
        let rest = bytes[index...]
        guard let word = words.first(where: { rest.starts(with: $0.utf8) }) else { return nil }
        index += word.utf8.count
        return word
    }

    /// The next characters up to white space, for a message.
    var word: String {
        String(decoding: bytes[index...].prefix { !IniText.isSpace(Unicode.Scalar($0)) }, as: UTF8.self)
    }

    /// The number of these digits.
    ///
    /// - Returns: nil on overflow.
    static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            let (product, tooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, tooLargeAfterAll) = product.addingReportingOverflow(UInt64(digit - 48))
            guard !tooLarge, !tooLargeAfterAll else { return nil }
            number = sum
        }
        return number
    }
}
