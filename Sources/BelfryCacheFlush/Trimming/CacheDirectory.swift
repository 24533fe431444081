// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A directory of files that can be made again, and what a flush does to it.
package nonisolated struct CacheDirectory: Sendable, Equatable {
    /// What the user calls it.
    package let name: String

    /// An absolute path. What leads to it may hold symbolic links, the directory itself must be neither one nor a mount
    /// point.
    package let path: String

    /// What it may hold after a flush.
    package let limits: TrimLimits

    /// Whether the file system is written back first (syncfs(2)).
    package let writeBack: Bool

    /// Whether the kernel is advised to drop the pages of the files that stay (posix_fadvise(2)). It drops no page that
    /// is still to be written, so this does most together with `writeBack`.
    package let dropPages: Bool

    /// Describes a cache. Nothing is looked at before `flush(now:)`.
    ///
    /// - Parameters:
    ///   - sizeMax: the sum of the file sizes, in bytes.
    ///   - ageMax: how long ago a file may have been modified.
    ///   - filesMax: how many files there may be.
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

    /// Writes back, deletes the oldest files until the limits are kept, and drops pages, as configured, in this order.
    ///
    /// Files are deleted only under a valid CACHEDIR.TAG; the tag and the directories stay. No symbolic link is followed
    /// and no other mount entered, see `TreeBoundary`. Blocks, on any thread; a flush ends early, with a report
    /// that says so, when it is cancelled, except while the file system is being written back.
    ///
    /// - Parameters:
    ///   - now: the time since the Unix epoch, which file times are compared with.
    ///   - isCancelled: asked again and again; by default whether the task it runs in is cancelled.
    /// - Returns: what was done. Files that could not be deleted or examined are in its `problems`.
    /// - Throws: when the directory cannot be used at all. If all that is wrong is the tag, it is written back before.
    package func flush(
        now: Duration, isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
    ) throws(CacheError) -> CacheFlushReport {
        var sweep = try CacheSweep(self, isCancelled: isCancelled)
        try sweep.run(now: now)
        return sweep.report
    }

    /// Looks whether a flush could do its work, and changes nothing. Blocks, and is cancelled, like a flush.
    ///
    /// - Returns: what was found. Directories that could not be read are in its `problems`.
    /// - Throws: when the directory cannot be used at all.
    package func rehearseFlush(
        isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
    ) throws(CacheError) -> CacheFlushReport {
        var sweep = try CacheSweep(self, isCancelled: isCancelled)
        try sweep.rehearse()
        return sweep.report
    }
}

/// How much a cache may hold. A limit that is nil does not exist; without any, nothing is ever deleted.
package nonisolated struct TrimLimits: Sendable, Equatable {
    /// The sum of the file sizes, in bytes as `ls -l` shows them. A file with several names here counts once.
    package var sizeMax: UInt64?

    /// How long ago a file may have been modified.
    package var ageMax: Duration?

    /// How many files there may be, counted by name.
    package var filesMax: Int?

    /// Makes limits; all are absent unless given.
    package init(sizeMax: UInt64? = nil, ageMax: Duration? = nil, filesMax: Int? = nil) {
        self.sizeMax = sizeMax
        self.ageMax = ageMax
        self.filesMax = filesMax
    }

    /// Whether there is no limit at all.
    package var isEmpty: Bool { sizeMax == nil && ageMax == nil && filesMax == nil }
}
