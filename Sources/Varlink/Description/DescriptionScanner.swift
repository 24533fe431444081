// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Splits the text of a description into names, signs, white space and comments.
nonisolated struct DescriptionScanner {
    private let bytes: [UInt8]
    private var offset = 0
    private var line = 1
    private var lineStart = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { offset == bytes.count }

    func failure(_ reason: String) -> VarlinkDescriptionError {
        VarlinkDescriptionError(reason, line: line, column: offset - lineStart + 1)
    }

    private var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func step() {
        let isEnd = bytes[offset] == UInt8(ascii: "\n") || bytes[offset] == UInt8(ascii: "\r")
        let isFirstOfTwo =
            bytes[offset] == UInt8(ascii: "\r") && offset + 1 < bytes.count && bytes[offset + 1] == UInt8(ascii: "\n")
        offset += 1
        guard isEnd, !isFirstOfTwo else { return }
        line += 1
        lineStart = offset
    }

    /// White space other than line ends: that of ECMAScript, in UTF-8.
    private static let spaces: [[UInt8]] =
        [" ", "\t", "\u{A0}", "\u{FEFF}", "\u{1680}", "\u{180E}", "\u{202F}", "\u{205F}", "\u{3000}"].map {
            Array($0.utf8)
        }
        + (0x2000...0x200A).compactMap { Unicode.Scalar($0).map { Array(String($0).utf8) } }
    private static let lineEnds: [[UInt8]] = ["\n", "\r\n", "\r", "\u{2028}", "\u{2029}"].map {
        Array(($0 as String).utf8)
    }

    private mutating func acceptOne(of sequences: [[UInt8]]) -> Bool {
        guard let sequence = sequences.first(where: { bytes[offset...].starts(with: $0) }) else { return false }
        for _ in sequence { step() }
        return true
    }

    /// Skips white space and comments. Returns the comment right before what comes next.
    mutating func skip() -> [String] {
        var comment: [String] = []
        var isBlankLine = false
        while let byte {
            if byte == UInt8(ascii: "#") {
                if isBlankLine { comment = [] }
                comment.append(readComment())
                isBlankLine = false
            } else if acceptOne(of: Self.lineEnds) {
                isBlankLine = true
            } else if !acceptOne(of: Self.spaces) {
                break
            }
        }
        return isBlankLine ? [] : comment
    }

    /// Reads a comment with its line end. Returns it without the sign and the first space.
    private mutating func readComment() -> String {
        step()
        if byte == UInt8(ascii: " ") { step() }
        let start = offset
        while !isAtEnd, !Self.lineEnds.contains(where: { bytes[offset...].starts(with: $0) }) { step() }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        _ = isAtEnd || acceptOne(of: Self.lineEnds)
        return text
    }

    /// A line end must come next, after white space or a comment.
    mutating func endOfLine() throws(VarlinkDescriptionError) {
        while !isAtEnd, acceptOne(of: Self.spaces) {}
        if isAtEnd { return }
        if byte == UInt8(ascii: "#") {
            _ = readComment()
        } else if !acceptOne(of: Self.lineEnds) {
            throw failure("expected the end of the line")
        }
    }

    func next(_ text: StaticString) -> Bool {
        bytes[offset...].starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func accept(_ text: StaticString) -> Bool {
        guard next(text) else { return false }
        offset += text.utf8CodeUnitCount
        return true
    }

    mutating func expect(_ text: StaticString) throws(VarlinkDescriptionError) {
        if !accept(text) { throw failure("expected '\(text)'") }
    }

    // Names

    private mutating func prefix(_ condition: (UInt8) -> Bool) -> String {
        let start = offset
        while let byte, condition(byte) { offset += 1 }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// Letters and digits.
    mutating func word() -> String { prefix(Self.isAlphanumeric) }

    mutating func keyword(_ text: String) throws(VarlinkDescriptionError) {
        let position = self
        guard word() == text else { throw position.failure("expected '\(text)'") }
    }

    /// The name after a keyword, with the white space between.
    mutating func typeName() throws(VarlinkDescriptionError) -> String {
        let start = offset
        _ = skip()
        let position = self
        let name = word()
        guard position.offset > start, let first = name.utf8.first, first >= UInt8(ascii: "A"),
            first <= UInt8(ascii: "Z")
        else { throw position.failure("expected a name that begins with a capital letter") }
        return name
    }

    mutating func fieldName() throws(VarlinkDescriptionError) -> String {
        let position = self
        let name = prefix { Self.isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
        guard let first = name.utf8.first, Self.isLetter(first), name.utf8.last != UInt8(ascii: "_"),
            !zip(name.utf8, name.utf8.dropFirst()).contains(where: { $0 == UInt8(ascii: "_") && $1 == $0 })
        else { throw position.failure("expected the name of a field") }
        return name
    }

    mutating func interfaceName() throws(VarlinkDescriptionError) -> String {
        let start = offset
        _ = skip()
        let position = self
        let name = prefix { Self.isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        guard position.offset > start, Self.isInterfaceName(name) else {
            throw position.failure("expected the name of an interface, such as org.example.ftl")
        }
        return name
    }

    private static func isInterfaceName(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count > 1, let first = name.utf8.first, isLetter(first) else { return false }
        return parts.allSatisfy { $0.first.map(isAlphanumeric) == true && $0.last.map(isAlphanumeric) == true }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") || byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isLetter(byte) || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}
