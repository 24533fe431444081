// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CSystemd
import Glibc

/// Opens what is in a cache and nothing that is not: no symbolic link is followed and no other file system entered.
///
/// Linux 5.6 enforces both itself (openat2(2)), bind mounts of the same device included. Where that call is absent, or
/// forbidden by a system call filter, `O_NOFOLLOW`, the device number and, if the kernel has it (5.8), the mount-root
/// attribute of statx(2) do; without the attribute a bind mount of the same device cannot be told and is entered.
package nonisolated struct TreeBoundary: Sendable {
    /// How the boundary is kept.
    package nonisolated enum Method: Sendable, CaseIterable {
        /// openat2(2).
        case kernel
        /// openat(2), checked afterwards.
        case stepwise
    }

    let device: UInt64
    let method: Method
    let tellsBindMounts: Bool

    /// Finds out what the kernel can do, at the root of a cache. A `method` overrules it.
    init(root: OpenDirectory, method: Method? = nil) throws(Errno) {
        var status = belfry_status()
        let result = belfry_status_at(root.descriptor, "", &status)
        guard result == 0 else { throw Errno(result) }
        device = status.device
        let probe = belfry_open_beneath(root.descriptor, ".", O_RDONLY | O_DIRECTORY)
        if probe >= 0 { close(probe) }
        self.method = method ?? (probe >= 0 ? .kernel : .stepwise)
        tellsBindMounts = self.method == .kernel || status.mount_root_known
    }

    /// Whether an entry with this status is of the cache's own file system and mount, as far as can be told before
    /// it is opened.
    func holds(_ status: belfry_status) -> Bool {
        status.device == device && !status.mount_root
    }

    /// Opens one name.
    ///
    /// - Throws: an error number; EXDEV when it is not of this file system and mount, ELOOP or ENOTDIR when it is a
    ///   link.
    func open(_ name: [CChar], in directory: OpenDirectory, flags: Int32) throws(Errno) -> (Int32, belfry_status) {
        let descriptor =
            switch method {
            case .kernel: belfry_open_beneath(directory.descriptor, name, flags)
            case .stepwise: openat(directory.descriptor, name, flags | O_NOFOLLOW | O_CLOEXEC)
            }
        guard descriptor >= 0 else { throw Errno(method == .kernel ? descriptor : errno) }
        var status = belfry_status()
        let result = belfry_status_at(descriptor, "", &status)
        guard result == 0, holds(status) else {
            close(descriptor)
            throw Errno(result == 0 ? EXDEV : result)
        }
        return (descriptor, status)
    }

    /// Opens one directory, in the same manner. `.` is the directory itself, with a stream of its own.
    func openDirectory(_ name: [CChar], in directory: OpenDirectory) throws(Errno) -> (OpenDirectory, belfry_status) {
        let (descriptor, status) = try open(name, in: directory, flags: O_RDONLY | O_DIRECTORY)
        return (try OpenDirectory(taking: descriptor), status)
    }
}
