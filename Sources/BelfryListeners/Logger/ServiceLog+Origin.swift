// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
package import Lifecycle
package import BelfrySystemd

extension ServiceLog {
    /// Writes a record of what somebody did, with the fields that say who it was.
    package func write(
        _ priority: JournalRecord.Priority, _ message: RecordText, _ id: MessageID, by origin: LifecycleOrigin,
        fields: [(name: String, value: String)] = []
    ) {
        write(Self.record(priority, message, id, by: origin, fields))
    }

    /// Sets the level. The record of it is written whatever the levels are: no log falls silent without a trace.
    package func set(level: LogPriority, by origin: LifecycleOrigin) {
        tell("log level is now \(level.name)", origin)
        maximumLevel = level
    }

    /// Sets the target as `apply` does, with a record in the old one that is written whatever the level is.
    package func set(target: LoggerTarget, by origin: LifecycleOrigin) {
        tell("log target is to be \(target.rawValue)", origin)
        apply(target: target, level: maximumLevel)
    }

    private func tell(_ change: RecordText, _ origin: LifecycleOrigin) {
        let id: MessageID = if case .peer = origin { .logLevel } else { .control }
        writeInAnyCase(Self.record(.notice, "\(change), asked by \(origin.words)", id, by: origin, []))
    }

    private static func record(
        _ priority: JournalRecord.Priority, _ message: RecordText, _ id: MessageID, by origin: LifecycleOrigin,
        _ fields: [(name: String, value: String)]
    ) -> JournalRecord {
        let who = [("BELFRY_ORIGIN", origin.kind)] + LifecycleRecords.fields(of: origin)
        return JournalRecord(priority, message, id: id.rawValue, fields: who + fields)
    }
}
