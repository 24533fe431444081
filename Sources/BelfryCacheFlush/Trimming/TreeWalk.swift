// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
package import CBelfry
import Glibc

/// Finds the regular files of a tree, one at a time, depth first and without recursion: memory and descriptors grow only with
/// the depth, which is limited.
///
/// Entries that are deleted or replaced during the walk are skipped. Cancellation ends the walk at the next entry.
nonisolated final class TreeWalk {
    private struct Level {
        let directory: OpenDirectory
        let node: TreeNode
    }

    private let boundary: TreeBoundary
    private let limits: TreeLimits
    private let isCancelled: @Sendable () -> Bool
    private var levels: [Level] = []
    private var entries = 0

    /// Starts at the root, with a separate stream.
    init(
        root: OpenDirectory, path: String, boundary: TreeBoundary, limits: TreeLimits,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(Errno) {
        self.boundary = boundary
        self.isCancelled = isCancelled
        self.limits = limits
        let (directory, status) = try boundary.openDirectory(Array(".".utf8CString), in: root)
        let node = TreeNode(parent: nil, name: Array(path.utf8CString), identity: FileIdentity(status))
        levels = [Level(directory: directory, node: node)]
    }

    /// The next regular file and its directory, or nil at the end. Problems are added to the report.
    func next(_ report: inout CacheFlushReport) -> (file: FoundFile, directory: OpenDirectory)? {
        while let level = levels.last {
            guard !isCancelled() else {
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
            let result = belfry_status_at(level.directory.descriptor, name, &status)
            guard result == 0 else {
                if result != -ENOENT { add(Errno(result), "examine", level.node.path(of: name), to: &report) }
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
                return (FoundFile(directory: level.node, name: name, status: status), level.directory)
            }
        }
        return nil
    }

    private func nextName(of level: Level, _ report: inout CacheFlushReport) -> [CChar]? {
        do throws(Errno) {
            return try level.directory.next()
        } catch {
            add(error, "read", level.node.path, to: &report)
            return nil
        }
    }

    private func enter(
        _ name: [CChar], _ status: belfry_status, _ level: Level, _ report: inout CacheFlushReport
    ) {
        guard boundary.holds(status) else {
            report.mountsSkipped += 1
            return
        }
        guard level.node.depth < limits.depth else {
            report.limitsReached.insert(.depth)
            return
        }
        do throws(Errno) {
            let (directory, status) = try boundary.openDirectory(name, in: level.directory)
            let node = TreeNode(parent: level.node, name: name, identity: FileIdentity(status))
            levels.append(Level(directory: directory, node: node))
        } catch {
            switch error.code {
            case EXDEV: report.mountsSkipped += 1
            case ENOENT, ENOTDIR, ELOOP: break
            default: add(error, "open", level.node.path(of: name), to: &report)
            }
        }
    }

    private func add(_ error: Errno, _ verb: String, _ object: String, to report: inout CacheFlushReport) {
        report.add(SystemError(error.code, verb: verb, object: object))
    }
}

/// A directory of a cache, known by its path and identity, without a descriptor. It is shared by all files found in it.
package nonisolated final class TreeNode {
    /// The parent directory, nil for the root.
    let parent: TreeNode?

    /// The NUL-terminated name in the parent; for the root, its path.
    let name: [CChar]

    /// Its identity when it was entered.
    let identity: FileIdentity

    /// The depth below the root.
    let depth: Int

    /// A directory in `parent`, or the root.
    package init(parent: TreeNode?, name: [CChar], identity: FileIdentity) {
        self.parent = parent
        self.name = name
        self.identity = identity
        depth = parent.map { $0.depth + 1 } ?? 0
    }

    /// The nodes from the first one below the root to this one.
    var ancestry: [TreeNode] {
        var nodes: [TreeNode] = []
        var node = self
        while let parent = node.parent {
            nodes.append(node)
            node = parent
        }
        return nodes.reversed()
    }

    /// The path for messages; invalid UTF-8 is replaced.
    var path: String { parent.map { $0.path(of: name) } ?? TreeNode.text(name) }

    /// The path of a name in this directory, for messages.
    func path(of name: [CChar]) -> String { "\(path)/\(TreeNode.text(name))" }

    private static func text(_ name: [CChar]) -> String {
        String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A regular file that a walk found.
package nonisolated struct FoundFile {
    /// Its directory.
    let directory: TreeNode

    /// Its NUL-terminated name.
    package let name: [CChar]

    let identity: FileIdentity

    /// In bytes.
    package let size: UInt64

    /// When it was last modified, since the Unix epoch.
    package let modified: Duration

    let links: UInt32

    /// The file with this name, and its status when it was found.
    package init(directory: TreeNode, name: [CChar], status: belfry_status) {
        self.directory = directory
        self.name = name
        identity = FileIdentity(status)
        size = status.size
        modified = FoundFile.modified(status)
        links = status.links
    }

    /// The path for messages.
    var path: String { directory.path(of: name) }

    /// Whether this status is that of the same, unmodified file. Inode numbers are reused, so the modification time is
    /// compared as well.
    func matches(_ status: belfry_status) -> Bool {
        belfry_is_regular(status.mode) && FileIdentity(status) == identity && FoundFile.modified(status) == modified
    }

    /// Files of one age have a fixed order too.
    static func isOlder(_ left: Self, _ right: Self) -> Bool {
        (left.modified, left.identity.inode) < (right.modified, right.identity.inode)
    }

    /// `Duration` does not overflow for any time of a file.
    private static func modified(_ status: belfry_status) -> Duration {
        .seconds(status.seconds) + .nanoseconds(Int64(status.nanoseconds))
    }
}

/// Identifies a file independently of its names. Inode numbers are unique only within a device, and a tree may have files of
/// several devices: on an overlay, those of its layers.
package nonisolated struct FileIdentity: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64

    /// The identity in a status.
    package init(_ status: belfry_status) {
        device = status.device
        inode = status.inode
    }
}
