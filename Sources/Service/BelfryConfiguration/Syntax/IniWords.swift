// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Splits a value into words as systemd does: separated by white space, with quotes and C escapes. As in systemd, and
/// unlike systemd.syntax(7), quotes may stand inside a word.
package nonisolated struct IniWords {
    /// One word and its offset in the value, in Unicode scalars.
    package struct Word: Sendable, Equatable {
        /// The word without its quotes.
        package let text: String
        package let offset: Int
    }

    private let scalars: [Unicode.Scalar]
    private let separator: Unicode.Scalar?
    private var index = 0

    private init(_ text: String, _ separator: Unicode.Scalar?) {
        scalars = Array(text.unicodeScalars)
        self.separator = separator
    }

    /// The words of `text`.
    ///
    /// - Parameter separator: what separates commands. An unquoted word of a backslash and the separator stands for the
    ///   separator.
    /// - Throws: `ValueProblem` for an unclosed quote and for an invalid escape.
    package static func split(_ text: String, separator: Unicode.Scalar? = nil) throws(ValueProblem) -> [Word] {
        var splitter = IniWords(text, separator)
        var words: [Word] = []
        while let word = try splitter.next() { words.append(word) }
        return words
    }

    private mutating func next() throws(ValueProblem) -> Word? {
        while index < scalars.count, IniText.isSpace(scalars[index]) { index += 1 }
        guard index < scalars.count else { return nil }
        let start = index
        if let separator, scalars[index...].starts(with: ["\\", separator]),
            index + 2 == scalars.count || IniText.isSpace(scalars[index + 2])
        {
            index += 2
            return Word(text: String(separator), offset: start)
        }
        var quote: (scalar: Unicode.Scalar, offset: Int)?
        var text = String.UnicodeScalarView()
        while index < scalars.count {
            let scalar = scalars[index]
            if scalar == "\\" {
                text.append(try escape())
                continue
            }
            if let open = quote {
                if scalar == open.scalar { quote = nil } else { text.append(scalar) }
            } else if scalar == "\"" || scalar == "'" {
                quote = (scalar, index)
            } else if IniText.isSpace(scalar) {
                break
            } else {
                text.append(scalar)
            }
            index += 1
        }
        if let quote { throw ValueProblem("missing closing quote", offset: quote.offset) }
        return Word(text: String(text), offset: start)
    }

    private mutating func escape() throws(ValueProblem) -> Unicode.Scalar {
        let start = index
        index += 1
        guard index < scalars.count else { throw ValueProblem("unfinished escape '\\'", offset: start) }
        let kind = scalars[index]
        if let plain = Self.plainEscapes[kind] {
            index += 1
            return plain
        }
        let (digits, radix): (Int, Int) =
            switch kind {
            case "x": (2, 16)
            case "u": (4, 16)
            case "U": (8, 16)
            case "0"..."7": (3, 8)
            default: (0, 0)
            }
        if radix == 16 { index += 1 }
        let end = min(index + digits, scalars.count)
        let number = String(String.UnicodeScalarView(scalars[index..<end]))
        guard digits > 0, end - index == digits, number.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }),
            let value = UInt32(number, radix: radix), let scalar = Unicode.Scalar(value), value != 0
        else {
            let text = String(String.UnicodeScalarView(scalars[start..<min(start + 2, scalars.count)]))
            throw ValueProblem("invalid escape \(DisplayText.quoted(text))", offset: start)
        }
        index = end
        return scalar
    }

    private static let plainEscapes: [Unicode.Scalar: Unicode.Scalar] = [
        "a": "\u{7}", "b": "\u{8}", "f": "\u{C}", "n": "\n", "r": "\r", "t": "\t", "v": "\u{B}",
        "\\": "\\", "\"": "\"", "'": "'", "s": " ",
    ]
}
