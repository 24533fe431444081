// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import Glibc

/// Finds the regular files of a tree, one at a time, depth first and without recursion: memory and descriptors grow
/// only with the depth, which is limited.
///
/// Entries that are deleted or replaced during the walk are skipped. Cancellation ends the walk at the next entry.
nonisolated final class TreeWalk {
    private let boundary: TreeBoundary
    private let limits: TreeLimits
    private let monitor: FlushMonitor
    private var levels: [CacheDirectory] = []
    private var entries = 0

    /// Starts at the root, with a separate stream.
    init(root: CacheDirectory, boundary: TreeBoundary, limits: TreeLimits, monitor: FlushMonitor) throws(Errno) {
        self.boundary = boundary
        self.limits = limits
        self.monitor = monitor
        levels = [try boundary.openDirectory(".", in: root, path: root.path)]
    }

    /// The next regular file, which may be used until the next call; nil at the end. Problems are added to the report.
    func next(_ report: inout CacheFlushReport) -> WalkedFile? {
        while let level = levels.last {
            guard !monitor.isCancelled else {
                report.cutShort = true
                levels = []
                return nil
            }
            guard let name = nextName(of: level, &report) else {
                levels.removeLast()
                continue
            }
            entries += 1
            guard entries <= limits.entries else {
                report.limitsReached.insert(.entries)
                levels = []
                return nil
            }
            var status = belfry_status()
            let result = belfry_status_at(level.descriptor, name, &status)
            guard result == 0 else {
                if result != -ENOENT { report.add(Errno(result), "examine", level.path(of: name)) }
                continue
            }
            if belfry_is_directory(status.mode) {
                enter(name, status, level, &report)
            } else if belfry_is_regular(status.mode), strcmp(name, CacheTag.name) != 0 {
                // Tags in subdirectories stay too: each marks its own directory.
                guard boundary.holds(status) else {
                    report.mountsSkipped += 1
                    continue
                }
                return WalkedFile(directory: level, name: name, status: status)
            }
        }
        return nil
    }

    private func nextName(of level: CacheDirectory, _ report: inout CacheFlushReport) -> UnsafePointer<CChar>? {
        do throws(Errno) {
            return try level.stream.next()
        } catch {
            report.add(error, "read", level.path)
            return nil
        }
    }

    private func enter(
        _ name: UnsafePointer<CChar>, _ status: belfry_status, _ level: CacheDirectory, _ report: inout CacheFlushReport
    ) {
        guard boundary.holds(status) else {
            report.mountsSkipped += 1
            return
        }
        guard levels.count <= limits.depth else {
            report.limitsReached.insert(.depth)
            return
        }
        let path = level.path(of: name)
        do throws(Errno) {
            levels.append(try boundary.openDirectory(name, in: level, path: path))
        } catch {
            switch error.code {
            case EXDEV: report.mountsSkipped += 1
            case ENOENT, ENOTDIR, ELOOP: break
            default: report.add(error, "open", path)
            }
        }
    }
}

/// A regular file that a walk found. The name is valid until the walk goes on.
nonisolated struct WalkedFile {
    let directory: CacheDirectory
    let name: UnsafePointer<CChar>
    let status: belfry_status

    /// For messages.
    var path: String { directory.path(of: name) }
    var identity: FileIdentity { FileIdentity(device: status.device, inode: status.inode) }
}
