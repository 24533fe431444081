// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Writes the text of records to standard error, a line each, for whoever runs the program by hand. What is not read
/// waits, and the service goes on.
public final class StandardErrorWriter: RecordWriter {
    private let identifier: String
    private let stream: PatientStream
    /// The records that nobody has read yet.
    public let queue: RecordQueue?

    /// - Parameter identifier: what each line begins with.
    public convenience init(identifier: String) { self.init(identifier: identifier, descriptor: 2) }

    /// Makes a writer for another descriptor.
    package init(identifier: String, descriptor: Int32) {
        self.identifier = identifier
        let stream = PatientStream(descriptor)
        self.stream = stream
        queue = RecordQueue { stream.write(&$0) }
    }

    /// Writes the text, further lines indented.
    public func write(_ record: JournalRecord) {
        let text = RecordText.lines(of: record.message).joined(separator: "\n  ")
        queue?.write(Array("\(identifier): \(text)\n".utf8)) { [stream] in stream.write(&$0) }
    }
}
