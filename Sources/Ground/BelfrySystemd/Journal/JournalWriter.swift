// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import CBelfry
internal import Glibc
package import BelfryLinux

/// Writes records to the journal, with all their fields (systemd, «Native Journal Protocol»).
///
/// journald takes few datagrams at once, and none while it is stopped or restarted. Records then wait, and are written
/// in order when it takes them.
package final class JournalWriter: RecordWriter {
    /// Where journald listens.
    package static let address = "/run/systemd/journal/socket"

    private let identifier: String
    private let socket: DatagramSocket
    /// The records that journald has not taken yet.
    package let queue: RecordQueue?
    /// The journal stores all fields.
    package var showsFields: Bool { true }

    /// Makes a writer.
    ///
    /// - Parameters:
    ///   - identifier: `SYSLOG_IDENTIFIER` of every record.
    /// - Throws: when no journald listens.
    package convenience init(identifier: String, address: String = JournalWriter.address) throws(SystemError) {
        try SystemError.check(belfry_datagram_reaches(address), verb: "reach the journal at", object: address)
        self.init(identifier: identifier, to: address)
    }

    /// Makes a writer for a journald that may not listen yet, or listens elsewhere.
    package init(identifier: String, to address: String) {
        self.identifier = identifier
        let socket = DatagramSocket(to: address)
        self.socket = socket
        queue = RecordQueue { record in Self.send(&record, to: socket) }
    }

    /// Whether standard error is a stream of the journal (`$JOURNAL_STREAM`, systemd.exec(5)): whether what is
    /// written there would arrive in the journal anyway.
    package static var isOurs: Bool {
        guard let variable = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: variable) == "\(status.st_dev):\(status.st_ino)"
    }

    /// Whether a service manager has started this process, and nobody reads its standard error.
    static var isToCome: Bool { Environment.isOfServiceManager && FileContent.isNull(STDERR_FILENO) }

    /// Sends the record to the journal.
    package func write(_ record: JournalRecord) {
        queue?.write(record.allFields(identifier: identifier).bytes) { [socket] in Self.send(&$0, to: socket) }
    }

    /// Whether journald has received all that was sent.
    package var isReceived: Bool { !socket.isUnread }

    /// Waits besides until journald has received what was sent, at most a second: it looks up whose records they are,
    /// and does not find the unit of a process that has ended.
    package func finish() {
        queue?.finish()
        let start = MonotonicInstant.now
        while !isReceived, MonotonicInstant.now - start < .seconds(1) { poll(nil, 0, 1) }
    }

    private static func send(_ record: inout [UInt8], to socket: DatagramSocket) -> RecordQueue.Attempt {
        record.withUnsafeBytes { bytes in
            var code = socket.send(bytes)
            if code == EMSGSIZE {
                // What is too long for a datagram goes in a file that nobody can change any more.
                let file = belfry_sealed_copy("belfry-record", bytes.baseAddress, bytes.count)
                guard file >= 0 else { return SystemError.isSystemFailure(-file) ? .again : .lost }
                defer { close(file) }
                code = socket.send(UnsafeRawBufferPointer(start: nil, count: 0), descriptors: [file])
            }
            switch code {
            case 0: return .sent
            // A journald that is stopped, or starts anew, will be there again.
            case EAGAIN, ENOENT, ECONNREFUSED: return .again
            default: return .lost
            }
        }
    }
}
