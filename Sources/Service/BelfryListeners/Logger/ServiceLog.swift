// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import BelfrySystemd
package import Lifecycle

/// Where the service writes its records: to the journal when there is one, else to standard error.
package final class ServiceLog {
    /// Makes the writer for a target.
    package typealias WriterForTarget = (LogTarget) throws -> any RecordWriter

    private let makeWriter: WriterForTarget
    private var writer: any RecordWriter
    private var target = LogTarget.auto
    private var loop: MainEventLoop?
    /// Where records of other threads come from.
    private var source: (any RecordSource)?
    /// The least urgent level that is written.
    package internal(set) var maximumLevel: LogPriority { didSet { source?.use(maximumLevel, format) } }
    /// How records are written to standard error.
    package var format = RecordFormat.text {
        didSet {
            (writer as? StandardErrorWriter)?.format = format
            source?.use(maximumLevel, format)
        }
    }

    /// Makes a log. Until `apply` it writes records from `info` on.
    package init(makeWriter: @escaping WriterForTarget) {
        self.makeWriter = makeWriter
        writer = (try? makeWriter(.auto)) ?? NullWriter()
        maximumLevel = .info
    }

    /// Makes a log of the program `identifier`.
    package convenience init(identifier: String) {
        self.init { try $0.writer(identifier: identifier) }
    }

    /// Retries records that could not be written, on this loop.
    package func begin(on loop: MainEventLoop) {
        self.loop = loop
        attend(to: writer)
    }

    /// Takes the records of other threads too.
    ///
    /// - Parameter identifier: the name of the program.
    package func receive(from source: any RecordSource, identifier: String) {
        self.source = source
        source.use(maximumLevel, format)
        source.connect(to: self, identifier: identifier)
    }

    /// Writes what waits before the process ends (`RecordWriter.finish()`).
    package func finish() {
        if let source { write(source.end()) }
        source = nil
        writer.finish()
    }

    /// Writes the records of other threads that have come.
    package func writeWhatWaits() {
        if let waiting = source?.drain() { write(waiting) }
    }

    private func write(_ waiting: (records: [JournalRecord], dropped: Int)) {
        for record in waiting.records { writer.write(record) }
        if waiting.dropped > 0 { writer.write(Self.missing(waiting.dropped, "the main thread")) }
    }

    private static func missing(_ count: Int, _ cause: RecordText) -> JournalRecord {
        record(
            .warning, "\(count) records are missing here: \(cause) did not take them in time", .recordsLost,
            by: .service,
            [:])
    }

    private func attend(to writer: any RecordWriter) {
        (writer as? StandardErrorWriter)?.format = format
        writer.queue?.loop = loop
        writer.queue?.onDrop = { [unowned writer] in writer.write(Self.missing($0, "the log target")) }
    }

    /// Sets the target and the level. If the target is not available, the old one stays and says so; at the start
    /// that is standard error. A target that does not change keeps the records that wait.
    package func apply(target: LogTarget, level: LogPriority) {
        maximumLevel = level
        guard target != self.target else { return }
        do {
            let writer = try makeWriter(target)
            writeWhatWaits()
            self.writer.queue?.finish()
            attend(to: writer)
            (self.writer, self.target) = (writer, target)
        } catch {
            let instead: RecordText =
                writer is StandardErrorWriter ? "writing to standard error" : "the log target stays as it was"
            write(.warning, "\(error), \(instead)", .logTarget)
        }
    }

    /// Throws if a target is not available.
    package func check(target: LogTarget) throws {
        if target != self.target { _ = try makeWriter(target) }
    }

    /// Writes a record, unless its priority is below the level.
    package func write(_ record: JournalRecord) {
        if record.priority <= maximumLevel { writeInAnyCase(record) }
    }

    /// Writes a record whatever its priority is, after those of other threads that came before it.
    func writeInAnyCase(_ record: JournalRecord) {
        writeWhatWaits()
        writer.write(record)
    }

    /// Whether the target shows the fields of a record. If not, they need not be made.
    package var showsFields: Bool { writer.showsFields }
}

/// Where records of other threads wait until the log takes them.
package protocol RecordSource: AnyObject, Sendable {
    /// Connects the log, which from now on gets the records.
    ///
    /// - Parameter identifier: the identifier of records that come after the end of the log.
    @MainActor func connect(to log: ServiceLog, identifier: String)

    /// Sets the least urgent level that is taken, and the format of records that come after the end of the log.
    @MainActor func use(_ level: LogPriority, _ format: RecordFormat)

    /// Removes the records that wait.
    ///
    /// - Returns: the records, and the number of those dropped since the last call; nil if there is nothing.
    @MainActor func drain() -> (records: [JournalRecord], dropped: Int)?

    /// The same for the last time.
    @MainActor func end() -> (records: [JournalRecord], dropped: Int)
}

extension ServiceLog {
    /// Writes a record of a kind, with the fields of its origin: who did what it says.
    package func write(
        _ priority: LogPriority, _ message: RecordText, _ id: MessageID,
        by origin: LifecycleOrigin = .service, fields: JournalFields = [:]
    ) {
        write(Self.record(priority, message, id, by: origin, fields))
    }

    /// Sets the level. The change itself is always logged.
    package func set(level: LogPriority, by origin: LifecycleOrigin) {
        tell("log level is now \(level.name)", origin)
        maximumLevel = level
    }

    /// Sets the target as `apply` does. The change is always logged, in the old target.
    package func set(target: LogTarget, by origin: LifecycleOrigin) {
        tell("log target is to be \(target.rawValue)", origin)
        apply(target: target, level: maximumLevel)
    }

    private func tell(_ change: RecordText, _ origin: LifecycleOrigin) {
        writeInAnyCase(Self.record(.notice, "\(change), asked by \(origin)", .control, by: origin, [:]))
    }

    private static func record(
        _ priority: LogPriority, _ message: RecordText, _ id: MessageID, by origin: LifecycleOrigin,
        _ fields: JournalFields
    ) -> JournalRecord {
        var all: JournalFields = ["BELFRY_ORIGIN": origin.kind]
        all.add(origin)
        all.add(fields)
        return JournalRecord(priority, message, id: id.rawValue, fields: all)
    }
}
