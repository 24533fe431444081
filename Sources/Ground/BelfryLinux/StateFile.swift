// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// A file in the state directory, such as the state of listeners. It is replaced as a whole, so that a crash leaves
/// the old one or the new one and never a part.
///
/// What is no regular file, such as a FIFO or a device, is refused and never waited for.
package nonisolated struct StateFile: Sendable, Equatable {
    package let path: String
    /// Bytes that are read at the most; a longer file is `EFBIG`.
    package let limit: Int

    /// The file at a path.
    package init(path: String, limit: Int) {
        self.path = path
        self.limit = limit
    }

    /// Its content; nil when there is none.
    ///
    /// - Throws: what the system says, `ELOOP` for a symbolic link and `EINVAL` for what is no regular file.
    package func read() throws(SystemError) -> [UInt8]? {
        // Otherwise opening a FIFO without a writer would block (fifo(7)).
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .last(verb: "open", object: path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last(verb: "look at", object: path) }
        guard belfry_is_regular(status.st_mode) else {
            throw SystemError(EINVAL, verb: "read as a regular file", object: path)
        }
        let bytes = try FileContent.read(descriptor, of: path, limit: limit + 1)
        guard bytes.count <= limit else { throw SystemError(EFBIG, verb: "read", object: path) }
        return bytes
    }

    /// Replaces it; `durably` syncs it, so that it also outlives the machine.
    package func write(_ bytes: [UInt8], durably: Bool = true) throws(SystemError) {
        let new = path + ".new"
        let descriptor = try Self.make(new)
        do throws(SystemError) {
            try fill(descriptor, bytes, new, durably)
            guard rename(new, path) == 0 else { throw .last(verb: "replace", object: path) }
        } catch {
            // A full disk is the usual cause, and what was written takes room there.
            unlink(new)
            throw error
        }
    }

    /// Makes an empty file. A leftover of an earlier process, or whatever else has the name, is removed, since only a
    /// new file certainly belongs to this process alone.
    private static func make(_ path: String) throws(SystemError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        var descriptor = open(path, flags, 0o600)
        if descriptor < 0, errno == EEXIST {
            guard unlink(path) == 0 else { throw .last(verb: "remove", object: path) }
            descriptor = open(path, flags, 0o600)
        }
        guard descriptor >= 0 else { throw .last(verb: "write", object: path) }
        return descriptor
    }

    /// Writes all of it, and closes the descriptor.
    private func fill(_ descriptor: Int32, _ bytes: [UInt8], _ name: String, _ durably: Bool) throws(SystemError) {
        defer { close(descriptor) }
        let code = StandardStreams.write(bytes, to: descriptor)
        guard code == 0 else { throw SystemError(code, verb: "write", object: name) }
        guard !durably || fsync(descriptor) == 0 else { throw .last(verb: "write", object: name) }
    }

    /// Removes it, if it is there.
    package func remove() throws(SystemError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .last(verb: "remove", object: path) }
    }

    /// Renames it, so that the cause can be examined.
    package func putAside() throws(SystemError) {
        guard rename(path, path + ".refused") == 0 else { throw .last(verb: "put aside", object: path) }
    }
}
