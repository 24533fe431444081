// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Walks over the bytes of text such as `1min 30.5s` or `1G 500M`, as the C library and systemd do.
nonisolated struct NumberScanner {
    private let bytes: [UInt8]
    private(set) var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { index == bytes.count }

    var next: UInt8? { isAtEnd ? nil : bytes[index] }

    /// Whether a number comes next, or what begins like one.
    var isAtNumber: Bool {
        next.map { (48...57).contains($0) || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains($0) }
            ?? false
    }

    /// A problem with what stands at `start`; with what comes next, unless said otherwise.
    func problem(_ message: String, at start: Int? = nil) -> ValueProblem {
        ValueProblem(message, offset: bytes[..<(start ?? index)].reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) })
    }

    /// - Returns: Whether there was any.
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

    /// The digits that come next, perhaps none.
    mutating func digits() -> ArraySlice<UInt8> {
        let run = bytes[index...].prefix { (48...57).contains($0) }
        index = run.endIndex
        return run
    }

    /// The digits that come next, perhaps none, perhaps after a plus sign, which needs some.
    mutating func signedDigits() -> ArraySlice<UInt8> {
        let start = index
        let hasSign = skip(UInt8(ascii: "+"))
        let run = digits()
        if hasSign, run.isEmpty { index = start }
        return run
    }

    /// Takes the first of `words` that comes next.
    mutating func take(oneOf words: some Sequence<String>) -> String? {
        let rest = bytes[index...]
        guard let word = words.first(where: { rest.starts(with: $0.utf8) }) else { return nil }
        index += word.utf8.count
        return word
    }

    /// What comes next, up to white space, for a message.
    var word: String {
        String(decoding: bytes[index...].prefix { !IniText.isSpace(Unicode.Scalar($0)) }, as: UTF8.self)
    }

    /// The number of these digits.
    ///
    /// - Returns: Nil when it does not fit.
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
