// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import Glibc
import BelfryLinux

/// Deletes files that a walk found, each only if it still is what was found.
///
/// The way down is opened again name by name from the root's descriptor, and a directory that is no longer the one
/// that was entered is not used. Between the last look at a file and its deletion somebody with the right to write here
/// can still exchange it; then the new file goes, never one in another directory.
nonisolated final class FileRemover {
    private let root: OpenDirectory
    private let boundary: TreeBoundary
    private let problemsMax: Int
    private var current: (node: TreeNode, directory: OpenDirectory)?

    /// Works below `root`.
    init(root: OpenDirectory, boundary: TreeBoundary, problemsMax: Int) {
        self.root = root
        self.boundary = boundary
        self.problemsMax = problemsMax
    }

    /// Deletes one file, and puts into the report what came of it. A file that is gone or has changed is no problem.
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
            let object = file.directory.path(of: file.name)
            report.note(SystemError(error.code, verb: "delete", object: object), most: problemsMax)
        }
    }

    /// The directory of a node, or nil when another has taken its place.
    private func open(_ node: TreeNode) throws(Errno) -> OpenDirectory? {
        if let current, current.node === node { return current.directory }
        current = nil
        var directory = root
        for step in node.way {
            let (next, status) = try boundary.openDirectory(step.name, in: directory)
            guard FileIdentity(status) == step.identity else { return nil }
            directory = next
        }
        current = (node, directory)
        return directory
    }
}
