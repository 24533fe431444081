// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Writes log records. A writer never blocks.
package protocol RecordWriter: AnyObject {
    /// Writes one record, or stores it until it can be written. It never fails.
    func write(_ record: JournalRecord)

    /// Writes what waits before the process ends, until nothing was accepted for a tenth of a second.
    func finish()

    /// The records that wait; nil for a writer without a queue.
    var queue: RecordQueue? { get }

    /// Whether it writes the fields of a record. If not, they need not be made.
    var showsFields: Bool { get }
}

extension RecordWriter {
    /// None: a writer without a queue drops what cannot be written.
    package var queue: RecordQueue? { nil }

    /// Only the text is written, unless the writer says otherwise.
    package var showsFields: Bool { false }

    /// Writes what is in the queue.
    package func finish() { queue?.finish() }
}

/// How many records may wait for the same step on their way.
package nonisolated enum RecordQueueLimit {
    /// How many.
    package static let records = 4096
    /// How many bytes of them.
    package static let bytes = 8 << 20
}

/// Records that wait to be written, as they are written.
package typealias RecordQueue = SendQueue<[UInt8]>

extension SendQueue where Item == [UInt8] {
    /// Makes a queue for records, with the limits of `RecordQueueLimit`.
    package convenience init(attempt: @escaping (inout [UInt8]) -> Attempt) {
        self.init(items: RecordQueueLimit.records, bytes: RecordQueueLimit.bytes, size: \.count, attempt: attempt)
    }

    /// Writes a record, or adds it to those that wait.
    package func write(_ record: consuming [UInt8], by attempt: (inout [UInt8]) -> Attempt) {
        guard isEmpty else { return _ = add(record) }
        switch attempt(&record) {
        case .sent: break
        case .again: add(record)
        case .lost: lose()
        }
    }
}

/// Writes records to standard error, a line each. What is not read waits, and the service goes on.
package final class StandardErrorWriter: RecordWriter {
    private let identifier: String
    private let stream: NonblockingStream
    /// How they are written.
    package var format = RecordFormat.text
    /// The records that were not read yet.
    package let queue: RecordQueue?
    /// As JSON.
    package var showsFields: Bool { format == .json }

    /// - Parameter identifier: what each line begins with.
    package init(identifier: String, descriptor: Int32 = 2) {
        self.identifier = identifier
        let stream = NonblockingStream(descriptor)
        self.stream = stream
        queue = RecordQueue { stream.write(&$0) }
    }

    /// Writes the record in the format.
    package func write(_ record: JournalRecord) {
        queue?.write(format.line(record, identifier: identifier)) { [stream] in stream.write(&$0) }
    }
}

/// Writes nothing.
package final class NullWriter: RecordWriter {
    /// Makes one.
    package init() {}

    /// Drops the record.
    package func write(_ record: JournalRecord) {}
}
