// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

nonisolated extension SystemError: CustomStringConvertible {
    /// `unable to <verb> '<object>': <reason>`, without a final stop.
    public var description: String {
        object.isEmpty
            ? "unable to \(verb): \(reason)"
            : "unable to \(verb) '\(SystemError.escape(object))': \(reason)"
    }

    /// `text` with its control characters written as `\n`, `\t` or `\u{1B}`, fit for one line of a log.
    public static func escape(_ text: String) -> String {
        var text = text
        let isPlain = text.withUTF8 { bytes in bytes.allSatisfy { (0x20...0x7E).contains($0) } }
        if isPlain { return text }
        var line = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format:
                line += scalar.escaped(asASCII: true)
            default:
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }
}
