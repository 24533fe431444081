// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Takes records, to write them somewhere. None of them waits for whoever reads there.
public protocol RecordWriter: AnyObject {
    /// Writes one record, or keeps it until it can be written. It never fails: there is nobody left to tell.
    func write(_ record: JournalRecord)

    /// The records that wait; nil for a writer of which none ever does.
    var queue: RecordQueue? { get }
}

extension RecordWriter {
    /// None: a writer that has no queue drops what cannot be written.
    public var queue: RecordQueue? { nil }
}

/// Records that wait to be written, as they are written.
public typealias RecordQueue = SendQueue<[UInt8]>

extension SendQueue where Item == [UInt8] {
    /// Makes a queue for records: 4096 of them, and 8 MiB, may wait.
    convenience init(attempt: @escaping (inout [UInt8]) -> Attempt) {
        self.init(items: 4096, bytes: 8 << 20, size: \.count, attempt: attempt)
    }

    /// Writes a record, or has it wait behind those that do.
    func write(_ record: [UInt8], by attempt: (inout [UInt8]) -> Attempt) {
        var record = record
        if !isEmpty || attempt(&record) == .again { add(record) }
    }
}
