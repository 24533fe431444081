// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import BelfryListeners
internal import BelfrySystemd

/// What the journal says of a flush.
enum CacheFlushRecord {
    static func record(of report: CacheFlushReport, for batch: FlushBatch) -> JournalRecord {
        let notification = batch.first
        var parts = ["removed \(report.filesRemoved) of \(report.filesSeen) files, freed \(report.bytesFreed) bytes"]
        if report.writtenBack { parts.insert("written back", at: 0) }
        if report.filesAdvised > 0 { parts.append("dropped the pages of \(report.filesAdvised) files") }
        if report.cutShort { parts.append("cut short") }
        if report.mountsSkipped > 0 { parts.append("left \(report.mountsSkipped) mounts alone") }
        for limit in report.limitsReached.sorted(by: { $0.rawValue < $1.rawValue }) {
            parts.append("reached the limit of \(limit)")
        }
        if batch.count > 1 { parts.append("on behalf of \(batch.count) requests") }
        return JournalRecord(
            .info, "cache '\(report.name)': \(parts.joined(separator: ", "))", id: MessageID.cacheFlushed.rawValue,
            fields: [
                ("BELFRY_NOTIFICATION", notification.name.rawValue), ("BELFRY_SEQUENCE", "\(notification.sequence)"),
                ("BELFRY_LISTENER", "cacheFlush"), ("BELFRY_CACHE", report.name),
                ("BELFRY_FILES_REMOVED", "\(report.filesRemoved)"), ("BELFRY_BYTES_FREED", "\(report.bytesFreed)"),
                ("BELFRY_REQUESTS", "\(batch.count)"),
            ])
    }
}
