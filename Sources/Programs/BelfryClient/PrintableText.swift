// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryJSON
internal import BelfryLinux

/// Text from a service or the journal, made fit for a terminal: on one line, without control characters, and cut before
/// it is processed, so that its length costs nothing.
package nonisolated enum PrintableText {
    /// How many bytes of one text are shown.
    package static let longest = 1024

    /// One text. A text that is cut ends in `…`.
    package static func line(_ text: String) -> String { SystemError.escape(text.cut(toBytes: longest)) }

    /// Several texts, as long together as one text may be.
    package static func line(_ texts: some Sequence<String>, separator: String = " ") -> String {
        var line = ""
        for text in texts {
            if !line.isEmpty { line += separator }
            guard line.utf8.count < longest else { return line + "…" }
            line += self.line(text)
        }
        return line
    }
}

/// Members of a reply as text. A member that a service of another version leaves out is shown as a dash.
nonisolated extension JSONObject {
    /// How many elements of an array are shown.
    private static var maximumElements: Int { 1 << 16 }

    /// A text, fit for one line of a terminal; nil when there is none.
    package func text(_ key: String) -> String? { self[key]?.stringValue.map(PrintableText.line) }

    /// A text, or a dash.
    package func textOrDash(_ key: String) -> String { text(key) ?? "-" }

    /// A number; nil when there is none.
    package func number(_ key: String) -> Int64? { self[key]?.intValue }

    /// A number, or a dash.
    package func numberOrDash(_ key: String) -> String { number(key).map { "\($0)" } ?? "-" }

    /// A duration given in microseconds, or a dash.
    package func durationOrDash(_ key: String) -> String { number(key).map(DurationText.text(microseconds:)) ?? "-" }

    /// The objects in an array.
    package func objects(_ key: String) -> [JSONObject] {
        self[key]?.arrayValue?.prefix(Self.maximumElements).compactMap(\.objectValue) ?? []
    }

    /// The texts in an array, each fit for a line.
    package func texts(_ key: String) -> [String] {
        self[key]?.arrayValue?.prefix(Self.maximumElements).compactMap(\.stringValue).map(PrintableText.line) ?? []
    }

    /// The texts in an array on one line.
    package func list(_ key: String, separator: String = " ") -> String {
        PrintableText.line((self[key]?.arrayValue ?? []).lazy.compactMap(\.stringValue), separator: separator)
    }
}

/// Saturating arithmetic for numbers from outside.
nonisolated extension Int64 {
    /// The sum, or the largest or least number.
    package func adding(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the largest or least number.
    package func subtracting(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
