// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import BelfryListeners
internal import BelfrySystemd
internal import Lifecycle

/// The journal record of a flush.
enum CacheFlushRecord {
    /// The record of a flush that is still running when the process ends.
    static func record(ofUnfinished batch: FlushBatch) -> JournalRecord {
        // The flush goes on meanwhile: both texts have the same numbers.
        let (filesRemoved, bytesFreed) = (batch.monitor.filesRemoved, batch.monitor.bytesFreed)
        var fields = LifecycleJournalRecords.fields(of: batch.first)
        fields.add([
            "BELFRY_LISTENER": "cacheFlush", "BELFRY_FILES_REMOVED": "\(filesRemoved)",
            "BELFRY_BYTES_FREED": "\(bytesFreed)", "BELFRY_REQUESTS": "\(batch.count)",
        ])
        return JournalRecord(
            .info,
            "cache flush cut short by the end of the service, removed \(filesRemoved) files, "
                + "freed \(bytesFreed) bytes", id: MessageID.cacheFlushed.rawValue, fields: fields)
    }

    static func record(of report: CacheFlushReport, for batch: FlushBatch) -> JournalRecord {
        let (removed, freed) = report.isDryRun ? ("dry run, would remove", "would free") : ("removed", "freed")
        var parts = [
            "\(removed) \(report.filesRemoved) of \(report.filesSeen) files, \(freed) \(report.bytesFreed) bytes"
        ]
        if report.writtenBack { parts.insert("written back", at: 0) }
        if report.filesOpen > 0 { parts.append("kept \(report.filesOpen) files that are open") }
        if report.filesAdvised > 0 { parts.append("dropped the pages of \(report.filesAdvised) files") }
        if report.cutShort { parts.append("cut short") }
        if report.mountsSkipped > 0 { parts.append("skipped \(report.mountsSkipped) mounts") }
        for limit in report.limitsReached.sorted(by: { $0.rawValue < $1.rawValue }) {
            parts.append("reached the limit of \(limit)")
        }
        if batch.count > 1 { parts.append("on behalf of \(batch.count) requests") }
        var fields = LifecycleJournalRecords.fields(of: batch.first)
        fields.add([
            "BELFRY_LISTENER": "cacheFlush", "BELFRY_CACHE": report.name,
            "BELFRY_FILES_REMOVED": "\(report.isDryRun ? 0 : report.filesRemoved)",
            "BELFRY_BYTES_FREED": "\(report.isDryRun ? 0 : report.bytesFreed)", "BELFRY_REQUESTS": "\(batch.count)",
        ])
        if report.isDryRun {
            fields.add("BELFRY_FILES", report.examples.map(SystemError.escape).joined(separator: "\n"))
        }
        return JournalRecord(
            .info, "cache '\(report.name)': \(parts.joined(separator: ", "))", id: MessageID.cacheFlushed.rawValue,
            fields: fields)
    }
}
