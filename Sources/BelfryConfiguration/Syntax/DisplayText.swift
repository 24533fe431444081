// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Text of a user in a message, made safe for a terminal and the journal, and short.
package nonisolated enum DisplayText {
    private static let longest = 120

    /// `text` with control characters written as escapes.
    package static func escaped(_ text: String) -> String {
        if text.unicodeScalars.allSatisfy({ !isControl($0) }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar) {
                let hexadecimal = String(scalar.value, radix: 16)
                result += "\\x" + (hexadecimal.count < 2 ? "0" : "") + hexadecimal
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// `text`, escaped, and cut when it is longer than 120 Unicode scalars.
    package static func cut(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: longest, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return escaped(text) }
        return escaped(String(scalars[..<end])) + "…"
    }

    /// The same in single quotes.
    package static func quoted(_ text: String) -> String { "'\(cut(text))'" }

    /// Whether a scalar could move the cursor, change a colour or reorder a line.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        default: false
        }
    }
}
