// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A cache in directories, whose files can be recreated, and what a flush does to it.
package nonisolated struct DirectoryCache: Sendable, Equatable {
    /// The name in the configuration.
    package let name: String

    /// Absolute paths, whose components may be patterns (glob(7)). Parent directories before the first pattern may be
    /// symbolic links. The directories themselves must not be symbolic links or mount points.
    package let paths: [String]

    /// The limits of each directory after a flush.
    package let limits: TrimLimits

    /// Whether the file systems are written back first (syncfs(2)).
    package let writeBack: Bool

    /// Whether the kernel is advised to drop the pages of the remaining files (posix_fadvise(2)). It does not drop dirty
    /// pages, so this has most effect together with `writeBack`.
    package let dropPages: Bool

    /// Whether a flush only finds out what it would delete.
    package let isDryRun: Bool

    /// Describes a cache. The file system is not accessed before `flush(now:)`.
    package init(
        name: String, paths: [String], limits: TrimLimits = TrimLimits(), writeBack: Bool = false,
        dropPages: Bool = false, isDryRun: Bool = false
    ) {
        self.name = name
        self.paths = paths
        self.limits = limits
        self.writeBack = writeBack
        self.dropPages = dropPages
        self.isDryRun = isDryRun
    }

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

/// The limits of a cache directory. Without any, nothing is deleted.
package nonisolated struct TrimLimits: Sendable, Equatable {
    /// The maximum space that the files take on the disk, in bytes, as du(1) shows it.
    package var sizeMax: UInt64?

    /// The maximum time since a file was used.
    package var ageMax: Duration?

    /// The maximum number of files, counted by name.
    package var filesMax: Int?

    /// The space to keep free on the file system, in bytes. Only space that other users than root can use counts.
    package var keepFree: UInt64?

    /// Limits; nil for no limit.
    package init(
        sizeMax: UInt64? = nil, ageMax: Duration? = nil, filesMax: Int? = nil, keepFree: UInt64? = nil
    ) {
        self.sizeMax = sizeMax
        self.ageMax = ageMax
        self.filesMax = filesMax
        self.keepFree = keepFree
    }

    package var isEmpty: Bool { self == TrimLimits() }
}
