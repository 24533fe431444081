// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A cache directory, whose files can be recreated, and what a flush does to it.
package nonisolated struct CacheDirectory: Sendable, Equatable {
    /// The name in the configuration.
    package let name: String

    /// An absolute path. Its parent directories may be symbolic links. The directory itself must not be a symbolic link
    /// or a mount point.
    package let path: String

    /// The limits after a flush.
    package let limits: TrimLimits

    /// Whether the file system is written back first (syncfs(2)).
    package let writeBack: Bool

    /// Whether the kernel is advised to drop the pages of the remaining files (posix_fadvise(2)). It does not drop dirty
    /// pages, so this has most effect together with `writeBack`.
    package let dropPages: Bool

    /// Describes a cache. The file system is not accessed before `flush(now:)`.
    ///
    /// - Parameters:
    ///   - sizeMax: the maximum sum of the file sizes, in bytes.
    ///   - ageMax: the maximum time since a file was modified.
    ///   - filesMax: the maximum number of files.
    package init(
        name: String, path: String, sizeMax: UInt64? = nil, ageMax: Duration? = nil, filesMax: Int? = nil,
        writeBack: Bool = false, dropPages: Bool = false
    ) {
        self.name = name
        self.path = path
        self.limits = TrimLimits(sizeMax: sizeMax, ageMax: ageMax, filesMax: filesMax)
        self.writeBack = writeBack
        self.dropPages = dropPages
    }

    /// Writes back, deletes the oldest files until the limits are met, and drops pages, as configured, in this order.
    ///
    /// Files are deleted only below a valid CACHEDIR.TAG; the tag and the directories stay. No symbolic link is followed and
    /// no other mount entered, see `TreeBoundary`. Blocks; may be called on any thread. A cancelled flush ends early, with a
    /// report that says so, but not while the file system is being written back.
    ///
    /// - Parameters:
    ///   - now: the time since the Unix epoch, which file times are compared with.
    ///   - isCancelled: called repeatedly; by default whether the current task is cancelled.
    /// - Returns: what was done. Files that could not be deleted or examined are in its `problems`.
    /// - Throws: `CacheError` if the directory cannot be used at all. If only the tag is invalid, the file system is written
    ///   back before.
    package func flush(
        now: Duration, isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
    ) throws(CacheError) -> CacheFlushReport {
        var sweep = try CacheSweep(self, isCancelled: isCancelled)
        try sweep.run(now: now)
        return sweep.report
    }

    /// Checks whether a flush would succeed, and changes nothing. Blocks, and is cancelled, like a flush.
    ///
    /// - Returns: what was found. Directories that could not be read are in its `problems`.
    /// - Throws: `CacheError` if the directory cannot be used at all.
    package func rehearseFlush(
        isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
    ) throws(CacheError) -> CacheFlushReport {
        var sweep = try CacheSweep(self, isCancelled: isCancelled)
        try sweep.rehearse()
        return sweep.report
    }
}

/// The limits of a cache. Without any, nothing is deleted.
package nonisolated struct TrimLimits: Sendable, Equatable {
    /// The maximum sum of the file sizes, in bytes as `ls -l` shows them. A file with several names counts once.
    package var sizeMax: UInt64?

    /// The maximum time since a file was modified.
    package var ageMax: Duration?

    /// The maximum number of files, counted by name.
    package var filesMax: Int?

    /// Limits; nil for no limit.
    package init(sizeMax: UInt64? = nil, ageMax: Duration? = nil, filesMax: Int? = nil) {
        self.sizeMax = sizeMax
        self.ageMax = ageMax
        self.filesMax = filesMax
    }

    package var isEmpty: Bool { sizeMax == nil && ageMax == nil && filesMax == nil }
}
