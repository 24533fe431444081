// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One record for the journal: a text for people and fields for programs (systemd.journal-fields(7)).
package nonisolated struct JournalRecord: Sendable, Equatable {
    /// `PRIORITY`.
    package var priority: LogPriority
    /// `MESSAGE`: escaped, of one or more lines.
    package let message: RecordText
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
        self.message = message
        self.messageID = messageID
        self.fields = fields
    }

    /// The text for a log that shows no fields.
    package var text: RecordText { textSuffix.bytes.isEmpty ? message : message + textSuffix }

    /// How many bytes its texts and fields have.
    package var size: Int { message.bytes.count + textSuffix.bytes.count + fields.bytes.count }

    /// All fields, those of the record itself first.
    ///
    /// - Parameter identifier: `SYSLOG_IDENTIFIER`.
    func allFields(identifier: String) -> JournalFields {
        var all = JournalFields()
        all.reserve(fields.bytes.count + message.bytes.count + 256)
        all.add("MESSAGE", message)
        all.add("PRIORITY", Int64(priority.rawValue))
        all.add("SYSLOG_IDENTIFIER", identifier)
        if let messageID { all.add("MESSAGE_ID", messageID) }
        all.add(fields)
        return all
    }
}
