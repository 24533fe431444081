// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Sizes in the syntax of systemd: bytes, or a number with a suffix to the base 1024.
package nonisolated enum ByteSizeText {
    private static let suffixes: [(name: String, bytes: UInt64)] = [
        ("E", 1 << 60), ("P", 1 << 50), ("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10), ("B", 1),
        ("", 1),
    ]

    /// `4096`, `64K`, `1.5G`, `1G 512M`.
    ///
    /// - Returns: nil for `infinity`.
    /// - Throws: `ValueProblem` for an invalid or too large size.
    package static func parse(_ text: String) throws(ValueProblem) -> UInt64? {
        var scanner = NumberScanner(text)
        if scanner.consume(oneOf: ["infinity"]) != nil, scanner.isAtEnd { return nil }
        scanner = NumberScanner(text)
        var total: UInt64 = 0
        var unitsLeft = suffixes[...]
        repeat {
            scanner.skipSpace()
            let start = scanner.index
            guard let part = try nextPart(&scanner, &unitsLeft),
                case let (sum, overflow) = total.addingReportingOverflow(part), !overflow
            else {
                throw scanner.problem("size is too large", at: start)
            }
            total = sum
        } while !scanner.isAtEnd
        return total
    }

    /// Parses one number with its suffix, which must be one of `units`, and leaves the smaller units in `units`.
    ///
    /// - Returns: nil on overflow.
    private static func nextPart(
        _ scanner: inout NumberScanner, _ units: inout ArraySlice<(name: String, bytes: UInt64)>
    ) throws(ValueProblem) -> UInt64? {
        let start = scanner.index
        let whole = scanner.signedDigits()
        guard !whole.isEmpty else {
            let isSuffix = units.count < suffixes.count && !scanner.isAtEnd
            throw scanner.problem(
                isSuffix
                    ? "expected one of the suffixes K, M, G and T, not \(DisplayText.quoted(scanner.word))"
                    : "expected a number")
        }
        let digits = scanner.skip(UInt8(ascii: ".")) ? scanner.digits() : []
        scanner.skipSpace()
        guard let name = scanner.consume(oneOf: units.lazy.map(\.name)),
            let place = units.firstIndex(where: { $0.name == name })
        else {
            throw scanner.problem("expected a smaller unit than before", at: start)
        }
        let unit = units[place].bytes
        units = units[(place + 1)...]
        guard let number = NumberScanner.number(whole), let fraction = NumberScanner.number(digits) else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: unit)
        // In floating point, as in systemd. The fraction is less than 2, and the unit at most 2^60.
        let part = UInt64(digits.reduce(Double(fraction)) { value, _ in value / 10 } * Double(unit))
        let (sum, overflowOfSum) = product.addingReportingOverflow(part)
        return overflow || overflowOfSum ? nil : sum
    }
}
