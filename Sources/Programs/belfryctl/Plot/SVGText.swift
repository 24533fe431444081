// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Writes the elements of an SVG document. Every value and text is escaped, so no text can become markup.
struct SVGText {
    /// What is written so far.
    private(set) var text = ""
    private var open: [StaticString] = []

    typealias Attributes = KeyValuePairs<StaticString, String>

    /// Begins an element that contains others.
    mutating func begin(_ name: StaticString, _ attributes: Attributes = [:]) {
        text += "<\(name)\(Self.text(attributes))>\n"
        open.append(name)
    }

    /// Ends the element that was begun last.
    mutating func end() {
        if let name = open.popLast() { text += "</\(name)>\n" }
    }

    /// Adds an element.
    ///
    /// - Parameters:
    ///   - content: the text of the element.
    ///   - title: what a browser shows when the pointer is over it.
    mutating func add(_ name: StaticString, _ attributes: Attributes, content: String = "", title: String = "") {
        text += "<\(name)\(Self.text(attributes))"
        guard !content.isEmpty || !title.isEmpty else { return text += "/>\n" }
        text += ">"
        if !title.isEmpty { text += "<title>\(Self.escape(title))</title>" }
        text += "\(Self.escape(content))</\(name)>\n"
    }

    /// Adds markup of the program itself.
    mutating func add(markup: StaticString) { text += "\(markup)\n" }

    private static func text(_ attributes: Attributes) -> String {
        attributes.reduce(into: "") { $0 += " \($1.key)=\"\(escape($1.value))\"" }
    }

    /// The text with the characters escaped that have a meaning in XML, and without those that XML 1.0 does not allow.
    static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
                escaped.unicodeScalars.append(scalar)
            default: escaped += "\u{FFFD}"
            }
        }
        return escaped
    }

    /// A length with one decimal.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths / 10)).\(abs(tenths % 10))"
    }

    /// About the width of a text in 12 pixels high letters of any common font.
    static func width(_ text: String) -> Double {
        text.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 7 : 13) }
    }

    /// The text, cut to a width.
    static func cut(_ text: String, toWidth width: Double) -> String {
        guard self.width(text) > width else { return text }
        var (cut, rest) = ("", width - 13)
        for character in text {
            rest -= self.width(String(character))
            guard rest >= 0 else { break }
            cut.append(character)
        }
        return cut + "…"
    }
}
