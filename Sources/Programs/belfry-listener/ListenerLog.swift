// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryEventLoop
import BelfrySystemd

/// Where the output of the program and messages about it go: to the journal if standard error does, or else to standard
/// error. `SYSLOG_IDENTIFIER` is the name, but for an application, whose unit may have the same, that of this unit.
/// Writing never blocks.
@MainActor
final class ListenerLog {
    /// An output stream of the program.
    enum Stream {
        case output, error
    }

    /// Whether it is the journal.
    var isJournal: Bool { journal != nil }
    /// What the journal records of the present run have.
    var runFields = ListenerLog.ownFields

    /// The fields of a record about no run.
    static let ownFields: JournalFields = ["BELFRY_ORIGIN": "service"]

    private let name: String
    private let journal: JournalWriter?
    private let stream: NonblockingStream
    private let queue: RecordQueue

    init(name: String, on loop: MainEventLoop) {
        self.name = name
        let identifier = ApplicationFile.isOwn(name) ? "belfry-listener@\(name)" : name
        journal = JournalWriter.isOurs ? try? JournalWriter(identifier: identifier) : nil
        let stream = NonblockingStream(2)
        self.stream = stream
        queue = RecordQueue { stream.write(&$0) }
        for queue in [queue, journal?.queue] {
            queue?.loop = loop
            queue?.onDrop = { [weak self] in
                let text: RecordText = "\($0) records are missing here: they were not taken in time"
                self?.message(.warning, text, .recordsLost)
            }
        }
    }

    /// Writes output of the program.
    func write(_ piece: OutputLines.Piece, of source: Stream) {
        switch piece {
        case .line(let line) where isJournal:
            record(source == .output ? .info : .notice, "\(line, limit: 2 * OutputLines.longestLine)", nil, runFields)
        case .line(let line):
            queue.write(Array(line.utf8) + [UInt8(ascii: "\n")]) { [stream] in stream.write(&$0) }
        case .dropped(let lines, let bytes):
            message(.warning, "\(lines) lines of output dropped, \(bytes) bytes", .outputDropped, runFields)
        }
    }

    /// Writes a message about the listener or its program.
    func message(
        _ priority: LogPriority, _ text: RecordText, _ id: MessageID, _ fields: JournalFields = ownFields
    ) {
        if isJournal {
            record(priority, text, id, fields)
        } else {
            let line: RecordText = "\(name): \(text)\n"
            queue.write(line.bytes) { [stream] in stream.write(&$0) }
        }
    }

    /// Writes a problem in the listener's file.
    func message(_ diagnostic: ConfigurationDiagnostic) {
        let isError = diagnostic.severity == .error
        var fields = Self.ownFields
        fields.add("BELFRY_CONFIG_FILE", diagnostic.position.file)
        fields.add("BELFRY_CONFIG_LINE", "\(diagnostic.position.line)")
        fields.add("BELFRY_CONFIG_COLUMN", "\(diagnostic.position.column)")
        message(
            isError ? .error : .warning, "\(diagnostic, limit: 4096)", isError ? .configuration : .configurationDoubt,
            fields)
    }

    /// Writes what waits before the process ends.
    func finish() {
        journal?.finish()
        queue.finish()
    }

    private func record(
        _ priority: LogPriority, _ text: RecordText, _ id: MessageID?, _ more: JournalFields
    ) {
        var fields: JournalFields = ["BELFRY_LISTENER": name]
        fields.add(more)
        journal?.write(JournalRecord(priority, text, id: id?.rawValue, fields: fields))
    }
}
