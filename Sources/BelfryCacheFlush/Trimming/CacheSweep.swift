// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import CBelfry
import Glibc

/// One flush of one cache, in steps. It accesses the file system; `TrimPlan` decides what to delete.
package nonisolated struct CacheSweep {
    private let cache: CacheDirectory
    private let limits: TreeLimits
    private let root: OpenDirectory
    private let boundary: TreeBoundary
    private let isCancelled: @Sendable () -> Bool
    private var oldest: OldestFiles

    package private(set) var report: CacheFlushReport

    /// Opens the directory of a cache.
    ///
    /// - Throws: `CacheError` if the path is invalid, a symbolic link or a mount point, or cannot be opened.
    package init(
        _ cache: CacheDirectory, limits: TreeLimits = TreeLimits(),
        isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
    ) throws(CacheError) {
        self.cache = cache
        self.limits = limits
        self.isCancelled = isCancelled
        root = try CacheSweep.open(cache.path)
        guard belfry_is_mount_point(root.descriptor) != 1 else { throw CacheError.mountPoint(cache.path) }
        do throws(Errno) {
            boundary = try TreeBoundary(root: root)
        } catch {
            throw CacheSweep.failure(error.code, "examine", cache.path)
        }
        oldest = OldestFiles(capacity: limits.candidates)
        report = CacheFlushReport(name: cache.name)
    }

    /// Runs all steps that the cache requests.
    package mutating func run(now: Duration) throws(CacheError) {
        if cache.writeBack { writeBack() }
        if !cache.limits.isEmpty { try CacheTag.require(in: root, path: cache.path) }
        try survey()
        if !cache.limits.isEmpty { try trim(now: now) }
        if cache.dropPages { try dropPages() }
    }

    /// Checks whether `run` would succeed, and changes nothing. Unreadable directories are in the report.
    ///
    /// - Throws: `CacheError` if there is no valid tag or no permission to delete.
    package mutating func rehearse() throws(CacheError) {
        if !cache.limits.isEmpty {
            try CacheTag.require(in: root, path: cache.path)
            // This also fails if the file system is read-only, even if only for this process (access(2)).
            guard faccessat(root.descriptor, ".", W_OK | X_OK, AT_EACCESS) == 0 else {
                throw CacheSweep.failure(errno, "delete in", cache.path)
            }
        }
        try survey()
    }

    private mutating func writeBack() {
        guard continues() else { return }
        let result = belfry_syncfs(root.descriptor)
        report.writtenBack = result == 0
        if result < 0 { report.add(SystemError(result, verb: "write back", object: cache.path)) }
    }

    /// Counts the files and keeps the oldest.
    package mutating func survey() throws(CacheError) {
        let walk = try walk()
        while let (file, _) = walk.next(&report) { oldest.add(file) }
        oldest.finish()
        report.filesSeen = oldest.count
    }

    /// Deletes the files of the survey that `TrimPlan` selects, oldest first.
    ///
    /// - Throws: `CacheError` if there is no valid tag, with nothing deleted.
    package mutating func trim(now: Duration) throws(CacheError) {
        try CacheTag.require(in: root, path: cache.path)
        let plan = TrimPlan(
            candidates: oldest.files, count: oldest.count, bytes: oldest.bytes, limits: cache.limits, now: now)
        if !plan.isSufficient { report.limitsReached.insert(.candidates) }
        let remover = FileRemover(root: root, boundary: boundary)
        for file in plan.removals {
            guard continues() else { return }
            remover.remove(file, &report)
        }
    }

    /// Advises the kernel to drop the pages of every remaining file.
    package mutating func dropPages() throws(CacheError) {
        guard continues() else { return }
        let walk = try walk()
        while let (file, directory) = walk.next(&report) {
            do throws(Errno) {
                let (descriptor, status) = try boundary.open(
                    file.name, in: directory, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
                defer { close(descriptor) }
                guard belfry_is_regular(status.mode) else { continue }
                let code = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
                guard code == 0 else { throw Errno(code) }
                report.filesAdvised += 1
            } catch {
                // Deleted, replaced, or under a lease (fcntl(2)).
                guard ![ENOENT, ELOOP, EXDEV, EWOULDBLOCK, ENXIO].contains(error.code) else { continue }
                report.add(SystemError(error.code, verb: "drop the pages of", object: file.path))
            }
        }
    }

    private mutating func continues() -> Bool {
        if isCancelled() { report.cutShort = true }
        return !report.cutShort
    }

    private func walk() throws(CacheError) -> TreeWalk {
        do throws(Errno) {
            return try TreeWalk(
                root: root, path: cache.path, boundary: boundary, limits: limits, isCancelled: isCancelled)
        } catch {
            throw CacheSweep.failure(error.code, "read", cache.path)
        }
    }

    /// Opens the root. With a trailing slash or `/.` the kernel would follow a link despite O_NOFOLLOW.
    private static func open(_ path: String) throws(CacheError) -> OpenDirectory {
        let parts = path.split(separator: "/").filter { $0 != "." }
        guard path.hasPrefix("/"), !parts.isEmpty, !parts.contains(".."), !path.utf8.contains(0) else {
            throw CacheError.path(path)
        }
        let plain = "/" + parts.joined(separator: "/")
        let descriptor = Glibc.open(plain, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code = errno
            var status = belfry_status()
            guard belfry_status_at(AT_FDCWD, plain, &status) == 0, belfry_is_link(status.mode) else {
                throw failure(code, "open", path)
            }
            throw CacheError.link(path)
        }
        do throws(Errno) {
            return try OpenDirectory(taking: descriptor)
        } catch {
            throw failure(error.code, "open", path)
        }
    }

    private static func failure(_ code: Int32, _ verb: String, _ path: String) -> CacheError {
        CacheError(SystemError(code, verb: verb, object: path))
    }
}

/// Limits of the memory, descriptors and time of one flush.
package nonisolated struct TreeLimits: Sendable, Equatable {
    /// The maximum depth below the root. One descriptor is open for each level.
    package var depth = 64

    /// The maximum number of directory entries.
    package var entries = 10_000_000

    /// The maximum number of files that one flush can delete. Only this many, the oldest, are kept track of; temporarily
    /// twice as many.
    package var candidates = 65_536

    /// The limits that Belfry uses.
    package init() {}
}
