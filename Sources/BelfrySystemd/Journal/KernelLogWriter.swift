// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc
public import BelfryLinux

/// Writes the text of records to the kernel's log, a line each (`/dev/kmsg`, kmsg(4)).
public final class KernelLogWriter: RecordWriter {
    /// The kernel refuses longer lines.
    private static let longest = 900
    private static let daemonFacility: Int32 = 3 << 3
    private let identifier: String
    private let descriptor: Int32

    /// - Parameter identifier: what each line begins with.
    /// - Throws: when the log cannot be opened, which takes privileges.
    public convenience init(identifier: String) throws(SystemError) {
        try self.init(identifier: identifier, path: "/dev/kmsg")
    }

    /// Makes a writer for a log that is elsewhere.
    package init(identifier: String, path: String) throws(SystemError) {
        self.identifier = identifier
        descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .last(verb: "open", object: path) }
    }

    isolated deinit { close(descriptor) }

    /// Writes each line of the text. Further lines are indented, as elsewhere.
    public func write(_ record: JournalRecord) {
        var indent = ""
        for text in RecordText.lines(of: record.message) {
            let line = "<\(Self.daemonFacility | record.priority.rawValue)>\(identifier)[\(getpid())]: \(indent)\(text)"
            let bytes = line.prefix(bytes: Self.longest - 1) + "\n"
            _ = Glibc.write(descriptor, String(bytes), bytes.utf8.count)
            indent = "  "
        }
    }
}
