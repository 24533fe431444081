// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryLinux
import CBelfry
import Glibc

/// The flush of one directory of a cache, in steps. It accesses the file system; `TrimPlan` decides what to delete.
///
/// A flush that deletes walks the tree twice. The first walk remembers when each file was last used, and not its name:
/// so a million files take 24 MB. The second one deletes the files up to the time of the plan.
package nonisolated struct CacheSweep {
    private let cache: CacheSettings
    private let limits: TreeLimits
    private let root: CacheDirectory
    private let boundary: TreeBoundary
    private let keepsAccessTimes: Bool
    private let monitor: FlushMonitor
    private var oldest: OldestFiles

    package private(set) var report: CacheFlushReport

    /// Prepares the flush of a directory.
    ///
    /// - Parameter report: what was done in other directories of the cache.
    /// - Throws: `CacheError` if the directory is a mount point, or cannot be examined.
    init(
        _ cache: CacheSettings, root: CacheDirectory, report: CacheFlushReport, limits: TreeLimits = TreeLimits(),
        monitor: FlushMonitor
    ) throws(CacheError) {
        self.cache = cache
        self.limits = limits
        self.root = root
        self.monitor = monitor
        let isMountPoint = belfry_is_mount_point(root.descriptor)
        guard isMountPoint >= 0 else { throw CacheError(Errno(isMountPoint), "examine", root.path) }
        guard isMountPoint == 0 else { throw CacheError.mountPoint(root.path) }
        var fileSystem = belfry_file_system()
        do throws(Errno) {
            boundary = try TreeBoundary(root: root)
            let result = belfry_examine_file_system(root.descriptor, &fileSystem)
            guard result == 0 else { throw Errno(result) }
        } catch {
            throw CacheError(error, "examine", root.path)
        }
        keepsAccessTimes = fileSystem.keeps_access_times
        oldest = OldestFiles(capacity: limits.candidates)
        self.report = report
        self.report.directories += 1
    }

    /// Runs all steps that the cache requests.
    package mutating func run(now: Duration) throws(CacheError) {
        if cache.writeBack, !cache.isDryRun { writeBack() }
        if !cache.limits.isEmpty { try CacheTag.require(in: root) }
        try survey(remembersAges: !cache.limits.isEmpty)
        if !cache.limits.isEmpty { try trim(now: now) }
    }

    private mutating func writeBack() {
        guard continues() else { return }
        let result = belfry_syncfs(root.descriptor)
        report.writtenBack = result == 0
        if result < 0 { report.add(Errno(result), "write back", root.path) }
    }

    /// Counts the files, and remembers when the oldest were used, which only `trim` needs.
    package mutating func survey(remembersAges: Bool = true) throws(CacheError) {
        let walk = try walk()
        while let file = walk.next(&report) {
            if remembersAges {
                oldest.add(age(of: file), links: file.status.links, identity: file.identity)
            }
            report.filesSeen += 1
            monitor.addFound()
        }
        oldest.finish()
    }

    /// Deletes the files that `TrimPlan` selects from the survey, except those that are open. Others are then selected
    /// in their place.
    ///
    /// - Throws: `CacheError` if there is no valid tag, with nothing deleted.
    package mutating func trim(now: Duration) throws(CacheError) {
        try CacheTag.require(in: root)
        var plan = TrimPlan(&oldest, limits: cache.limits, shortfall: shortfall(), now: now)
        // Gives the memory back.
        oldest = OldestFiles(capacity: limits.candidates)
        var goesOn = plan.last != nil
        while goesOn, continues() {
            let open = try remove(plan)
            goesOn = open.count > 0 && plan.extend(keeping: open)
        }
        if !plan.isSufficient { report.limitsReached.insert(.candidates) }
    }

    /// Deletes the files of the present selection.
    ///
    /// - Returns: those that were kept, because they are open.
    private mutating func remove(_ plan: TrimPlan) throws(CacheError) -> FileTotals {
        var open = FileTotals()
        guard let last = plan.last else { return open }
        if !cache.isDryRun { monitor.addSelected(plan.count) }
        var left = plan.count
        let walk = try walk()
        // What the survey has reported is not reported again.
        var known = CacheFlushReport(name: cache.name)
        while left > 0, let file = walk.next(&known) {
            let age = self.age(of: file)
            guard age <= last, plan.before.map({ age > $0 }) ?? true else { continue }
            if !remove(file) { open.add(age.space, links: file.status.links, identity: file.identity) }
            left -= 1
        }
        if known.cutShort { report.cutShort = true }
        return open
    }

    /// The bytes that the file system lacks of `keepFree`.
    private mutating func shortfall() -> UInt64 {
        guard let keepFree = cache.limits.keepFree else { return 0 }
        var fileSystem = belfry_file_system()
        let result = belfry_examine_file_system(root.descriptor, &fileSystem)
        if result < 0 { report.add(Errno(result), "examine", root.path) }
        return result < 0 || fileSystem.available >= keepFree ? 0 : keepFree - fileSystem.available
    }

    /// Deletes a file, unless it is open elsewhere, or there is no descriptor to find out. Whether it is, the kernel
    /// says only of files that belong to this user, see `belfry_lease`; others are deleted.
    ///
    /// Between the examination of a file and its deletion, a process with write permission can still replace it; then
    /// the new file is deleted, but never a file in another directory.
    ///
    /// - Returns: whether it was deleted.
    private mutating func remove(_ file: WalkedFile) -> Bool {
        let directory = file.directory.descriptor
        let descriptor = openat(directory, file.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        let isOpen =
            descriptor < 0
            ? errno == EWOULDBLOCK || SystemError.isSystemFailure(errno) : belfry_lease(descriptor) == -EAGAIN
        defer { if descriptor >= 0 { close(descriptor) } }
        guard !isOpen else {
            report.filesOpen += 1
            return false
        }
        if cache.isDryRun {
            report.addExample(file.path)
        } else if unlinkat(directory, file.name, 0) != 0 {
            if errno != ENOENT { report.add(Errno(errno), "delete", file.path) }
            return true
        }
        let freed = report.addRemoved(file)
        if !cache.isDryRun { monitor.addRemoved(freeing: freed) }
        return true
    }

    /// When a file was last used: read or written if the file system keeps the time of access, otherwise written.
    private func age(of file: WalkedFile) -> FileAge {
        let status = file.status
        let used = keepsAccessTimes ? max(status.accessed, status.modified) : status.modified
        return FileAge(usedNsec: used, inode: status.inode, space: status.space)
    }

    private mutating func continues() -> Bool {
        if monitor.isCancelled { report.cutShort = true }
        return !report.cutShort
    }

    private func walk() throws(CacheError) -> TreeWalk {
        do throws(Errno) {
            return try TreeWalk(root: root, boundary: boundary, limits: limits, monitor: monitor)
        } catch {
            throw CacheError(error, "read", root.path)
        }
    }
}

/// Limits of the memory, descriptors and time of one flush.
package nonisolated struct TreeLimits: Sendable, Equatable {
    /// The maximum depth below the root. One descriptor is open for each level.
    package var depth = 64

    /// The maximum number of directory entries.
    package var entries = 10_000_000

    /// The maximum number of files that one flush can delete in a directory. Only this many, the oldest, are kept track
    /// of; temporarily half as many more.
    package var candidates = 1 << 20
}

nonisolated extension CacheSettings {
    /// Writes back, and deletes the files that were unused for longest until the limits are met. One directory follows
    /// the other.
    ///
    /// Files are deleted only below a valid CACHEDIR.TAG; the tag and the directories stay. No symbolic link is
    /// followed and no other mount entered, see `TreeBoundary`. Blocks; may be called on any thread. A cancelled flush
    /// ends before the next file, with a report that says so, but not while a file system is being written back.
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
