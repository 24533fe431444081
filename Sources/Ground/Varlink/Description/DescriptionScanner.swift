// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Splits the text of a description into names, signs, white space and comments.
nonisolated struct DescriptionScanner {
    private let text: [Unicode.Scalar]
    private var offset = 0

    init(_ text: String) { self.text = Array(text.unicodeScalars) }

    private var next: Unicode.Scalar? { offset < text.count ? text[offset] : nil }
    var isAtEnd: Bool { next == nil }

    /// The error for this place.
    func failure(_ reason: String) -> VarlinkDescriptionError {
        var (line, start) = (1, 0)
        for place in 0..<offset where Self.isLineEnd(text[place]) {
            if text[place] == "\r", place + 1 < text.count, text[place + 1] == "\n" { continue }
            (line, start) = (line + 1, place + 1)
        }
        return VarlinkDescriptionError(reason: reason, line: line, column: offset - start + 1)
    }

    // White space and comments

    /// As in ECMAScript, without line ends. Numbers, since a pattern of a literal is compared by a generic function.
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20, 0x09, 0xA0, 0x1680, 0x180E, 0x2000...0x200A, 0x202F, 0x205F, 0x3000, 0xFEFF: true
        default: false
        }
    }

    private static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A, 0x0D, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Skips white space and comments.
    mutating func skip() {
        while let next {
            if next == "#" {
                skipComment()
            } else if Self.isSpace(next) || Self.isLineEnd(next) {
                offset += 1
            } else {
                return
            }
        }
    }

    private mutating func skipComment() {
        while let next, !Self.isLineEnd(next) { offset += 1 }
    }

    /// A line end must come next, after white space or a comment.
    mutating func endOfLine() throws(VarlinkDescriptionError) {
        while let next, Self.isSpace(next) { offset += 1 }
        if next == "#" { skipComment() }
        if let next, !Self.isLineEnd(next) { throw failure("expected the end of the line") }
    }

    // Signs

    func next(_ sign: String) -> Bool { text[offset...].starts(with: sign.unicodeScalars) }

    mutating func accept(_ sign: String) -> Bool {
        guard next(sign) else { return false }
        offset += sign.unicodeScalars.count
        return true
    }

    mutating func expect(_ sign: String) throws(VarlinkDescriptionError) {
        if !accept(sign) { throw failure("expected '\(sign)'") }
    }

    // Names

    private mutating func prefix(_ condition: (Unicode.Scalar) -> Bool) -> String {
        var name = String.UnicodeScalarView()
        while let next, condition(next) {
            name.append(next)
            offset += 1
        }
        return String(name)
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
        skip()
        let position = self
        let name = word()
        guard position.offset > start, Self.isTypeName(name) else {
            throw position.failure("expected a name that begins with a capital letter")
        }
        return name
    }

    static func isTypeName(_ name: String) -> Bool {
        name.unicodeScalars.first.map { $0 >= "A" && $0 <= "Z" } ?? false
    }

    mutating func fieldName() throws(VarlinkDescriptionError) -> String {
        let position = self
        let name = prefix { Self.isAlphanumeric($0) || $0 == "_" }
        let parts = name.unicodeScalars.split(separator: "_", omittingEmptySubsequences: false)
        guard let first = name.unicodeScalars.first, Self.isLetter(first), parts.allSatisfy({ !$0.isEmpty }) else {
            throw position.failure("expected the name of a field")
        }
        return name
    }

    mutating func interfaceName() throws(VarlinkDescriptionError) -> String {
        let start = offset
        skip()
        let position = self
        let name = prefix { Self.isAlphanumeric($0) || $0 == "." || $0 == "-" }
        let parts = name.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        guard position.offset > start, parts.count > 1, parts[0].first.map(Self.isLetter) == true,
            parts.allSatisfy({ $0.first.map(Self.isAlphanumeric) == true && $0.last != "-" })
        else { throw position.failure("expected the name of an interface, such as org.example.ftl") }
        return name
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        scalar >= "a" && scalar <= "z" || scalar >= "A" && scalar <= "Z"
    }

    private static func isAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
        isLetter(scalar) || scalar >= "0" && scalar <= "9"
    }
}
