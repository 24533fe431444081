// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// Writes the text of records to standard error, a line each, for whoever runs the program by hand.
public final class StandardErrorWriter: RecordWriter {
    private let identifier: String

    /// - Parameter identifier: what each line begins with.
    public init(identifier: String) { self.identifier = identifier }

    /// Writes the text, further lines indented.
    public func write(_ record: JournalRecord) {
        let message = record.message.split(separator: "\n").joined(separator: "\n  ")
        let line = "\(identifier): \(message)\n"
        _ = Glibc.write(STDERR_FILENO, line, line.utf8.count)
    }
}
