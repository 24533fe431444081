// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle

/// What a flush did, for people and for programs.
nonisolated extension WorkSummary {
    /// The caches that were flushed; nil if none of them has a file, or was left before its files were seen.
    init?(_ reports: [CacheFlushReport]) {
        let reports = reports.filter { $0.filesSeen > 0 || $0.cutShort }
        if reports.isEmpty { return nil }
        self.init(
            reports.map(\.text).joined(separator: "; "), details: ["caches": .array(reports.map(\.details))])
    }

    /// A flush that is still running when the process ends.
    init(unfinished monitor: FlushMonitor) {
        self.init(
            "cut short by the end of the service, removed \(monitor.filesRemoved) files, "
                + "freed \(monitor.bytesFreed) bytes")
    }
}

nonisolated extension CacheFlushReport {
    fileprivate var text: String {
        let (removed, freed) = isDryRun ? ("dry run, would remove", "would free") : ("removed", "freed")
        var parts = ["\(removed) \(filesRemoved) of \(filesSeen) files, \(freed) \(bytesFreed) bytes"]
        if writtenBack { parts.insert("written back", at: 0) }
        if filesOpen > 0 { parts.append("kept \(filesOpen) files that are open") }
        if cutShort { parts.append("cut short") }
        if mountsSkipped > 0 { parts.append("skipped \(mountsSkipped) mounts") }
        for limit in limitsReached.sorted(by: { $0.rawValue < $1.rawValue }) {
            parts.append("reached the limit of \(limit)")
        }
        return "'\(name)' \(parts.joined(separator: ", "))"
    }

    fileprivate var details: JSONValue {
        var object: JSONObject = [
            "cache": .string(name), "directories": .int(Int64(directories)), "filesSeen": .int(Int64(filesSeen)),
            "filesRemoved": .int(Int64(filesRemoved)), "filesOpen": .int(Int64(filesOpen)),
            "bytesFreed": .int(Int64(clamping: bytesFreed)), "cutShort": .bool(cutShort), "dryRun": .bool(isDryRun),
        ]
        if isDryRun { object["files"] = .array(examples.map { .string($0) }) }
        return .object(object)
    }
}
