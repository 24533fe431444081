// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration

nonisolated extension CacheSettings {
    /// Writes back, deletes the files that were unused for longest until the limits are met, and drops pages, as
    /// configured, in this order, one directory after the other.
    ///
    /// Files are deleted only below a valid CACHEDIR.TAG; the tag and the directories stay. No symbolic link is followed and
    /// no other mount entered, see `TreeBoundary`. Blocks; may be called on any thread. A cancelled flush ends before the
    /// next file, with a report that says so, but not while a file system is being written back.
    ///
    /// - Parameters:
    ///   - now: the time since the Unix epoch, which file times are compared with.
    ///   - monitor: cancels the flush, and shows its progress.
    /// - Returns: what was done. What failed is in its `problems`.
    package func flush(now: Duration, monitor: FlushMonitor = FlushMonitor()) -> CacheFlushReport {
        var report = CacheFlushReport(name: name, isDryRun: isDryRun)
        for path in paths {
            CachePath(path, monitor: monitor).visit { root in
                do throws(CacheError) {
                    var sweep = try CacheSweep(self, root: try root.get(), report: report, monitor: monitor)
                    defer { report = sweep.report }
                    try sweep.run(now: now)
                } catch {
                    report.add("\(error)")
                }
            }
        }
        return report
    }
}
