// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import Glibc

/// Opens files of a cache and no others: no symbolic link is followed, and neither another mount nor a subvolume (a
/// directory with another device) is entered.
///
/// `O_NOFOLLOW` and the mount id (statx(2)) enforce that. Before Linux 5.8 there is no mount id: the device is
/// compared, and a bind mount of the same device is entered.
nonisolated struct TreeBoundary: Sendable {
    private let mount: UInt64
    private let device: UInt64

    /// The boundary of the cache with this root.
    init(root: CacheDirectory) throws(Errno) {
        var status = belfry_status()
        let result = belfry_status_at(root.descriptor, "", &status)
        guard result == 0 else { throw Errno(result) }
        mount = status.mount
        device = status.device
    }

    /// Whether an entry with this status is on the mount of the cache and no subvolume, as far as is known before it is
    /// opened. The device of a file is not compared: on an overlay it is that of the layer.
    func holds(_ status: belfry_status) -> Bool {
        status.mount == mount && (status.device == device || !belfry_is_directory(status.mode))
    }

    /// Opens one name.
    ///
    /// - Throws: an error number; EXDEV for another mount or a subvolume, ELOOP or ENOTDIR for a symbolic link.
    func open(
        _ name: UnsafePointer<CChar>, in directory: CacheDirectory, flags: Int32
    ) throws(Errno) -> (Int32, belfry_status) {
        let descriptor = openat(directory.descriptor, name, flags | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw Errno(errno) }
        var status = belfry_status()
        let result = belfry_status_at(descriptor, "", &status)
        guard result == 0, holds(status) else {
            close(descriptor)
            throw Errno(result == 0 ? EXDEV : result)
        }
        return (descriptor, status)
    }

    /// Opens one directory in the same way. `.` is the directory itself, with a separate stream.
    func openDirectory(
        _ name: UnsafePointer<CChar>, in directory: CacheDirectory, path: String
    ) throws(Errno) -> CacheDirectory {
        try CacheDirectory(taking: try open(name, in: directory, flags: O_RDONLY | O_DIRECTORY).0, path: path)
    }
}

/// The names in an open directory, which is closed on deinitialization.
nonisolated final class NameStream {
    private let stream: OpaquePointer

    /// The descriptor, valid during the lifetime of the object.
    var descriptor: Int32 { dirfd(stream) }

    /// Takes ownership of the descriptor, also on error.
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

    /// The next name except `.` and `..`, or nil at the end. It is valid until the next call, and need not be UTF-8.
    ///
    /// - Throws: an error number; the stream is unusable after that.
    func next() throws(Errno) -> UnsafePointer<CChar>? {
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw Errno(errno) }
                return nil
            }
            // The record ends with the name: the whole struct must not be copied.
            guard let field = entry.pointer(to: \.d_name) else { return nil }
            let name = UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self)
            let isDot = name[0] == 0x2E && (name[1] == 0 || name[1] == 0x2E && name[2] == 0)
            if !isDot { return name }
        }
    }
}
