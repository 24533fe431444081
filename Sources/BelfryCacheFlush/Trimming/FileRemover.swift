// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import Glibc
import BelfryLinux

/// Deletes files that a walk found, each only if it is unchanged.
///
/// The path is opened again name by name from the descriptor of the root; a directory that was replaced is not used. Between
/// the last check of a file and its deletion, a process with write permission can still replace it; then the new file is
/// deleted, but never a file in another directory.
nonisolated final class FileRemover {
    private let root: OpenDirectory
    private let boundary: TreeBoundary
    private var current: (node: TreeNode, directory: OpenDirectory)?

    init(root: OpenDirectory, boundary: TreeBoundary) {
        self.root = root
        self.boundary = boundary
    }

    /// Deletes one file, and adds the result to the report. A file that is missing or has changed is no problem.
    func remove(_ file: FoundFile, _ report: inout CacheFlushReport) {
        do throws(Errno) {
            guard let directory = try open(file.directory) else { return }
            var status = belfry_status()
            let result = belfry_status_at(directory.descriptor, file.name, &status)
            guard result == 0 else { throw Errno(result) }
            guard boundary.holds(status), file.matches(status) else { return }
            guard unlinkat(directory.descriptor, file.name, 0) == 0 else { throw Errno(errno) }
            report.filesRemoved += 1
            if status.links == 1 { CacheFlushReport.add(status.size, to: &report.bytesFreed) }
        } catch {
            guard ![ENOENT, ENOTDIR, ELOOP, EXDEV].contains(error.code) else { return }
            report.add(SystemError(error.code, verb: "delete", object: file.path))
        }
    }

    /// The directory of a node, or nil if another has replaced it.
    private func open(_ node: TreeNode) throws(Errno) -> OpenDirectory? {
        if let current, current.node === node { return current.directory }
        current = nil
        var directory = root
        for step in node.ancestry {
            let (next, status) = try boundary.openDirectory(step.name, in: directory)
            guard FileIdentity(status) == step.identity else { return nil }
            directory = next
        }
        current = (node, directory)
        return directory
    }
}
