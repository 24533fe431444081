// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import Glibc
import BelfryLinux

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
