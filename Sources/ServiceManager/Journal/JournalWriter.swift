// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CSystemd
internal import Glibc

/// Writes records to the journal, with all their fields (sd_journal_sendv(3)).
public final class JournalWriter: RecordWriter {
    private let identifier: String

    /// - Parameter identifier: `SYSLOG_IDENTIFIER` of every record.
    public init(identifier: String) { self.identifier = identifier }

    /// Whether standard error is a stream of the journal (`$JOURNAL_STREAM`, systemd.exec(5)): whether what is
    /// written there would arrive in the journal anyway.
    public static var isOurs: Bool {
        guard let variable = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: variable) == "\(status.st_dev):\(status.st_ino)"
    }

    /// Sends the record to the journal.
    public func write(_ record: JournalRecord) {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        func add(_ name: String, _ value: String) {
            bytes += name.utf8
            bytes.append(UInt8(ascii: "="))
            bytes += value.utf8
            ends.append(bytes.count)
        }
        add("MESSAGE", record.message)
        add("PRIORITY", "\(record.priority.rawValue)")
        add("SYSLOG_IDENTIFIER", identifier)
        if let id = record.messageID { add("MESSAGE_ID", id) }
        for field in record.fields { add(field.name, field.value) }
        bytes.withUnsafeMutableBytes { buffer in
            var start = 0
            let vectors = ends.map { end in
                defer { start = end }
                return iovec(iov_base: buffer.baseAddress?.advanced(by: start), iov_len: end - start)
            }
            _ = sd_journal_sendv(vectors, Int32(vectors.count))
        }
    }
}
