// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
package import BelfryEventLoop
package import BelfrySystemd

/// Where the service writes its records: to the journal when there is one, else to standard error.
package final class ServiceLog {
    /// Makes the writer for a target.
    package typealias WriterForTarget = (LoggerTarget) throws -> any RecordWriter

    private let makeWriter: WriterForTarget
    private var writer: any RecordWriter
    private var target = LoggerTarget.auto
    private var loop: MainEventLoop?
    /// The least urgent level that is written.
    package internal(set) var maximumLevel: LogPriority

    /// Makes a log. Until `apply` it writes what is at least informational, wherever it is read.
    package init(makeWriter: @escaping WriterForTarget) {
        self.makeWriter = makeWriter
        writer = (try? makeWriter(.auto)) ?? NullWriter()
        maximumLevel = .info
    }

    /// Makes a log of the program `identifier`.
    package convenience init(identifier: String) {
        self.init { target in
            switch target {
            case .journal: try JournalWriter(identifier: identifier)
            case .kmsg: try KernelLogWriter(identifier: identifier)
            case .null: NullWriter()
            case .stderr: StandardErrorWriter(identifier: identifier)
            case .auto where JournalWriter.isOurs:
                (try? JournalWriter(identifier: identifier)) ?? StandardErrorWriter(identifier: identifier)
            case .auto: StandardErrorWriter(identifier: identifier)
            }
        }
    }

    /// Has records that could not be written yet written from now on as somebody takes them, on this loop.
    package func begin(on loop: MainEventLoop) {
        self.loop = loop
        attend(to: writer)
    }

    /// Writes what waits before the process ends. That takes at most a tenth of a second in which nobody takes anything.
    package func finish() { writer.queue?.finish() }

    private func attend(to writer: any RecordWriter) {
        writer.queue?.loop = loop
        writer.queue?.onDrop = { [unowned self] count in
            writeInAnyCase(
                JournalRecord(
                    .warning, "\(count) records are missing here: the log target did not take them in time",
                    id: MessageID.recordsLost.rawValue))
        }
    }

    /// Whether records of this priority go to the journal, with their fields.
    package func isKept(_ priority: LogPriority) -> Bool { writer is JournalWriter && priority <= maximumLevel }

    /// Sets the target and the level. A target that cannot be had leaves the old one, which says so; at the start that is
    /// standard error. The target that there is stays as it is, with all that waits for it.
    package func apply(target: LoggerTarget, level: LogPriority) {
        maximumLevel = level
        guard target != self.target else { return }
        do {
            let writer = try makeWriter(target)
            finish()
            attend(to: writer)
            (self.writer, self.target) = (writer, target)
        } catch {
            let instead: RecordText =
                writer is StandardErrorWriter ? "writing to standard error" : "the log target stays as it was"
            write(.warning, "\(error), \(instead)", .logTarget)
        }
    }

    /// Throws why a target cannot be had.
    package func check(target: LoggerTarget) throws {
        if target != self.target { _ = try makeWriter(target) }
    }

    /// Writes a record, unless its priority is below the level.
    package func write(_ record: JournalRecord) {
        if record.priority.rawValue <= maximumLevel.rawValue { writer.write(record) }
    }

    /// Writes a record whatever its priority is.
    func writeInAnyCase(_ record: JournalRecord) { writer.write(record) }

    /// Writes a record that is worth nothing without its fields: standard error, which shows none, is spared it.
    package func write(fieldsOf record: JournalRecord) {
        if !(writer is StandardErrorWriter) { write(record) }
    }

    /// Writes a record of a kind.
    package func write(
        _ priority: JournalRecord.Priority, _ message: RecordText, _ id: MessageID,
        fields: [(name: String, value: String)] = []
    ) {
        write(JournalRecord(priority, message, id: id.rawValue, fields: fields))
    }
}
