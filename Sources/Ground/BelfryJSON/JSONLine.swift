// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// JSON for programs, one line for each object.
package nonisolated enum JSONLine {
    /// The object. Characters that JSON allows in text, but that control a terminal or end a line, are written as
    /// escapes, which have the same meaning.
    package static func text(_ object: JSONObject) -> String {
        let text = JSONValue.object(object).description
        guard text.utf8.contains(where: { $0 >= 0x7F }) else { return text }
        var line = ""
        line.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if scalar.value < 0x7F || !isControl(scalar) {
                line.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    line += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
                }
            }
        }
        return line
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format: true
        default: false
        }
    }
}
