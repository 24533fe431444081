// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Sizes as systemd writes them: bytes, or a number with a suffix to the base 1024.
package nonisolated enum ByteSizeText {
    private static let suffixes: [(name: String, bytes: UInt64)] = [
        ("E", 1 << 60), ("P", 1 << 50), ("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10), ("B", 1),
    ]

    /// `4096`, `64K`, `1.5G`, `1G 512M`.
    ///
    /// - Returns: Nil for `infinity`.
    /// - Throws: `ValueProblem` for what is no size or does not fit.
    package static func parse(_ text: String) throws(ValueProblem) -> UInt64? {
        if text == "infinity" { return nil }
        var scanner = NumberScanner(text)
        var total: UInt64 = 0
        var before: UInt64 = .max
        repeat {
            scanner.skipSpace()
            let start = scanner.offset
            var unit: UInt64 = 1
            let part = try scanner.next { scanner in
                scanner.skipSpace()
                let suffix = scanner.take(oneOf: suffixes.map(\.name))
                unit = suffixes.first { $0.name == suffix }?.bytes ?? 1
                return unit
            }
            guard unit < before else {
                throw ValueProblem("expected a smaller unit than before", offset: start)
            }
            before = unit
            guard let part, case let (sum, overflow) = total.addingReportingOverflow(part), !overflow else {
                throw ValueProblem("size is too large", offset: start)
            }
            total = sum
            try checkNext(scanner)
        } while !scanner.isAtEnd
        return total
    }

    private static func checkNext(_ scanner: NumberScanner) throws(ValueProblem) {
        let word = scanner.word(endsAtDigit: false)
        guard !word.isEmpty else { return }
        let message = "expected a size with one of the suffixes K, M, G, T, not \(DisplayText.quoted(word))"
        throw ValueProblem(message, offset: scanner.offset)
    }
}
