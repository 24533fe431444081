// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
package import BelfryLinux

/// One record for the journal: a text for people and fields for programs (systemd.journal-fields(7)).
package nonisolated struct JournalRecord: Sendable, Equatable {
    /// `PRIORITY`.
    package var priority: LogPriority
    /// `MESSAGE`: escaped, of one or more lines.
    package private(set) var message: String
    /// `MESSAGE_ID`: 32 hexadecimal digits, the same for all records of a kind.
    package var messageID: String?
    /// Further fields.
    package var fields: JournalFields
    /// What is added to the message where fields are not shown; escaped.
    package var textSuffix: RecordText = ""
    /// When it was made, by CLOCK_REALTIME; nil for a record that is written at once.
    package var realtimeUsec: UInt64?

    /// A record; the writer adds who wrote it.
    package init(
        _ priority: LogPriority, _ message: RecordText, id messageID: String? = nil,
        fields: JournalFields = JournalFields()
    ) {
        self.priority = priority
        self.message = message.description
        self.messageID = messageID
        self.fields = fields
    }

    /// The text for a log that shows no fields.
    package var text: String { message + textSuffix.description }

    /// How many bytes its texts and fields have.
    package var size: Int { message.utf8.count + textSuffix.description.utf8.count + fields.bytes.count }

    /// All fields, those of the record itself first.
    ///
    /// - Parameter identifier: `SYSLOG_IDENTIFIER`.
    func allFields(identifier: String) -> JournalFields {
        var all: JournalFields = ["MESSAGE": message]
        all.add("PRIORITY", Int64(priority.rawValue))
        all.add("SYSLOG_IDENTIFIER", identifier)
        if let messageID { all.add("MESSAGE_ID", messageID) }
        all.add(fields)
        return all
    }
}

/// The text of a record. Literals stand as they are, line breaks included; in interpolated values control characters
/// are escaped, and long values are cut.
///
///     "hold '\(reason)' of \(peer) is over"
///
/// So no value from outside can begin a line of a log.
package nonisolated struct RecordText: Sendable, Equatable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The longest value, in bytes of UTF-8 before they are escaped.
    package static let longestValue = 512
    /// The longest text of several lines, in bytes.
    private static let longestText = 64 << 10

    /// The text, fit for a log that keeps its lines together.
    package let description: String

    /// A text of the program's own.
    package init(stringLiteral text: String) { description = text }

    /// Builds a text from what the program wrote and the values in it.
    package init(stringInterpolation: StringInterpolation) { description = stringInterpolation.text }

    /// A text of several lines from outside: control characters in each line are escaped. Only line feeds separate lines:
    /// `String.split` takes CR and LF together for one character.
    package init(lines text: String) {
        description = text.prefix(bytes: Self.longestText).utf8.split(separator: UInt8(ascii: "\n"))
            .map { SystemError.escape(String(Substring($0))) }.joined(separator: "\n")
    }

    /// One text behind the other.
    package static func + (left: Self, right: Self) -> Self {
        Self(stringLiteral: left.description + right.description)
    }

    /// Collects the pieces of a text.
    package struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        /// Begins with room for the literals.
        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        /// Adds a literal.
        package mutating func appendLiteral(_ literal: String) { text += literal }

        /// Adds a text that is escaped already.
        package mutating func appendInterpolation(_ value: RecordText) { text += value.description }

        /// Adds a number.
        package mutating func appendInterpolation(_ value: some BinaryInteger) { text += String(value) }

        /// Adds a system error, which escapes the object it names.
        package mutating func appendInterpolation(_ value: SystemError) { text += value.description }

        /// Adds a text from outside.
        ///
        /// - Parameters:
        ///   - value: the text.
        ///   - limit: how many bytes of it at the most.
        package mutating func appendInterpolation(_ value: String, limit: Int = longestValue) {
            let start = value.prefix(bytes: limit)
            text += SystemError.escape(String(start))
            if start.endIndex < value.endIndex { text += "…" }
        }

        /// Adds the description of a value, as a text from outside.
        package mutating func appendInterpolation(_ value: some CustomStringConvertible, limit: Int = longestValue) {
            appendInterpolation(value.description, limit: limit)
        }

        /// Adds any other value, as a text from outside.
        package mutating func appendInterpolation(_ value: some Any, limit: Int = longestValue) {
            if let error = value as? SystemError { return appendInterpolation(error) }
            appendInterpolation(String(describing: value), limit: limit)
        }
    }
}
