// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc
public import SystemErrors

/// Writes the text of records to the kernel's log, a line each (`/dev/kmsg`, kmsg(4)).
public final class KernelLogWriter: RecordWriter {
    private static let path = "/dev/kmsg"
    /// The kernel refuses longer lines.
    private static let longest = 900
    private static let daemonFacility: Int32 = 3 << 3
    private let identifier: String
    private let descriptor: Int32

    /// - Parameter identifier: what each line begins with.
    /// - Throws: when the log cannot be opened, which takes privileges.
    public init(identifier: String) throws(SystemError) {
        self.identifier = identifier
        descriptor = open(Self.path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .last(verb: "open", object: Self.path) }
    }

    isolated deinit { close(descriptor) }

    /// Writes each line of the text.
    public func write(_ record: JournalRecord) {
        for text in record.message.split(separator: "\n") {
            let line = "<\(Self.daemonFacility | record.priority.rawValue)>\(identifier)[\(getpid())]: \(text)\n"
            _ = Glibc.write(descriptor, line, min(line.utf8.count, Self.longest))
        }
    }
}
