// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One record for the journal: a text for people and fields for programs (systemd.journal-fields(7)).
public nonisolated struct JournalRecord: Sendable, Equatable {
    /// How urgent it is, the levels of syslog(3).
    public enum Priority: Int32, Sendable, Comparable {
        case emergency, alert, critical, error, warning, notice, info, debug

        /// Whether `left` is the more urgent one.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// `PRIORITY`.
    public var priority: Priority
    /// `MESSAGE`.
    public var message: String
    /// `MESSAGE_ID`: 32 hexadecimal digits, the same for all records of a kind.
    public var messageID: String?
    /// Further fields, in the order given: names of upper-case letters, digits and underscores, and their values.
    public var fields: [(name: String, value: String)]

    /// A record; the writer adds who wrote it.
    public init(
        _ priority: Priority, _ message: RecordText, id messageID: String? = nil,
        fields: [(name: String, value: String)] = []
    ) {
        self.priority = priority
        self.message = message.description
        self.messageID = messageID
        self.fields = fields
    }

    /// Whether both say the same, with the same fields in the same order.
    public static func == (left: Self, right: Self) -> Bool {
        left.priority == right.priority && left.message == right.message && left.messageID == right.messageID
            && left.fields.elementsEqual(right.fields) { $0 == $1 }
    }
}
