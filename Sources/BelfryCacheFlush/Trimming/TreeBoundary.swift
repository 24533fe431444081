// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import CBelfry
import Glibc

/// Opens what is in a cache and nothing that is not: no symbolic link is followed and no other mount entered, nor a
/// subvolume, which is a directory with a device of its own.
///
/// Linux 5.6 enforces the first two itself (openat2(2)). Where that call is absent, or forbidden by a system call filter,
/// `O_NOFOLLOW` and the number of the mount (statx(2), Linux 5.8) do; without that number the device stands in for it, a
/// bind mount of the same device cannot be told and is entered.
package nonisolated struct TreeBoundary: Sendable {
    /// How the boundary is kept.
    package nonisolated enum Method: Sendable, CaseIterable {
        /// openat2(2).
        case kernel
        /// openat(2), checked afterwards.
        case stepwise
    }

    private let mount: UInt64
    private let device: UInt64
    let method: Method
    let tellsBindMounts: Bool

    /// Finds out what the kernel can do, at the root of a cache. A `method` overrules it.
    init(root: OpenDirectory, method: Method? = nil) throws(Errno) {
        var status = belfry_status()
        let result = belfry_status_at(root.descriptor, "", &status)
        guard result == 0 else { throw Errno(result) }
        mount = status.mount
        device = status.device
        let probe = belfry_open_beneath(root.descriptor, ".", O_RDONLY | O_DIRECTORY)
        if probe >= 0 { close(probe) }
        self.method = method ?? (probe >= 0 ? .kernel : .stepwise)
        tellsBindMounts = self.method == .kernel || status.mount_known
    }

    /// Whether an entry with this status is of the cache's own mount and no subvolume, as far as can be told before it
    /// is opened. The device of a file says nothing: on an overlay it is that of the layer.
    func holds(_ status: belfry_status) -> Bool {
        status.mount == mount && (status.device == device || !belfry_is_directory(status.mode))
    }

    /// Opens one name.
    ///
    /// - Throws: an error number; EXDEV when it is of another mount or a subvolume, ELOOP or ENOTDIR when it is a
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

/// A directory held open by its descriptor, and a stream of the names in it. Closed when dropped.
nonisolated final class OpenDirectory {
    private let stream: OpaquePointer

    /// The descriptor, valid while this object lives.
    var descriptor: Int32 { dirfd(stream) }

    /// Takes the descriptor over, and closes it when this throws.
    ///
    /// - Throws: an error number.
    init(taking descriptor: Int32) throws(Errno) {
        guard let stream = fdopendir(descriptor) else {
            let code = errno
            close(descriptor)
            throw Errno(code)
        }
        self.stream = stream
    }

    deinit {
        closedir(stream)
    }

    /// The next name but `.` and `..`, NUL-terminated, or nil at the end. Names are bytes: they need not be UTF-8.
    ///
    /// - Throws: an error number; the stream is of no more use then.
    func next() throws(Errno) -> [CChar]? {
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw Errno(errno) }
                return nil
            }
            // The record ends with its name, so the whole struct must not be copied.
            guard let field = entry.pointer(to: \.d_name) else { return nil }
            let name = UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self)
            if strcmp(name, ".") != 0, strcmp(name, "..") != 0 {
                return Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1))
            }
        }
    }
}
