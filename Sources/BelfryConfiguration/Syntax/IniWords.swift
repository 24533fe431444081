// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Splits a value into words by the quoting rules of systemd.syntax(7): separated by white space, with quotes and C escapes.
package nonisolated struct IniWords {
    /// One word and its offset in the value, in Unicode scalars.
    package struct Word: Sendable, Equatable {
        /// The word without its quotes.
        package let text: String
        package let offset: Int
    }

    private let scalars: [Unicode.Scalar]
    private var index = 0

    private init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    /// The words of `text`.
    ///
    /// - Throws: `ValueProblem` for an unclosed quote, for text directly after a closing quote and for an invalid escape.
    package static func split(_ text: String) throws(ValueProblem) -> [Word] {
        var splitter = IniWords(text)
        var words: [Word] = []
        while let word = try splitter.next() { words.append(word) }
        return words
    }

    /// The inverse of `split`.
    package static func join(_ words: [String]) -> String {
        words.map(quotedIfNeeded).joined(separator: " ")
    }

    private static func quotedIfNeeded(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy { scalar in
            !IniText.isSpace(scalar) && !IniText.isControl(scalar) && !["\"", "'", "\\"].contains(scalar)
        }
        if isPlain, !word.isEmpty { return word }
        var result = "\""
        for scalar in word.unicodeScalars {
            if scalar == "\"" || scalar == "\\" {
                result += "\\\(scalar)"
            } else if IniText.isControl(scalar) {
                let digits = String(scalar.value, radix: 16)
                result += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private mutating func next() throws(ValueProblem) -> Word? {
        while index < scalars.count, IniText.isSpace(scalars[index]) { index += 1 }
        guard index < scalars.count else { return nil }
        let start = index
        let quote = scalars[index] == "\"" || scalars[index] == "'" ? scalars[index] : nil
        if quote != nil { index += 1 }
        var text = String.UnicodeScalarView()
        while index < scalars.count {
            let scalar = scalars[index]
            if scalar == "\\" {
                text.append(try escape())
                continue
            }
            index += 1
            if scalar == quote {
                guard index == scalars.count || IniText.isSpace(scalars[index]) else {
                    throw ValueProblem("expected white space after the closing quote", offset: index)
                }
                return Word(text: String(text), offset: start)
            }
            if quote == nil, IniText.isSpace(scalar) { break }
            text.append(scalar)
        }
        guard quote == nil else { throw ValueProblem("missing closing quote", offset: start) }
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
