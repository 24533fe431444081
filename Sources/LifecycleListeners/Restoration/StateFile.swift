// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc
import SystemErrors

/// The file in the state directory that holds what listeners want to find again. It is replaced as a whole, so that a
/// crash leaves the old one or the new one and never a part.
nonisolated struct StateFile: Sendable, Equatable {
    private let path: String
    private let limit: Int

    /// - Parameters:
    ///   - path: where it is.
    ///   - limit: bytes that are read at the most; a longer file is `EFBIG`.
    init(path: String, limit: Int) {
        self.path = path
        self.limit = limit
    }

    /// Its content; nil when there is none.
    func read() throws(SystemError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .last(verb: "open", object: path)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw .last(verb: "read", object: path) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limit else { throw SystemError(EFBIG, verb: "read", object: path) }
        }
    }

    /// Replaces it; `durably` so that it also outlives the machine.
    func write(_ bytes: [UInt8], durably: Bool = true) throws(SystemError) {
        let new = path + ".new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .last(verb: "write", object: new) }
        try fill(descriptor, bytes, new, durably)
        guard rename(new, path) == 0 else { throw .last(verb: "replace", object: path) }
    }

    /// Throws what stands in the way of replacing it.
    package func checkWritable() throws(SystemError) {
        let end = path.lastIndex(of: "/")
        let directory = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) == 0 else {
            throw .last(verb: "write", object: path)
        }
    }

    /// Writes all of it, and closes the descriptor.
    private func fill(_ descriptor: Int32, _ bytes: [UInt8], _ name: String, _ durably: Bool) throws(SystemError) {
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw .last(verb: "write", object: name) }
            rest = rest.dropFirst(count)
        }
        guard !durably || fsync(descriptor) == 0 else { throw .last(verb: "write", object: name) }
    }

    /// Puts it aside under another name, for whoever wants to know what was wrong with it.
    func putAside() throws(SystemError) {
        guard rename(path, path + ".refused") == 0 else { throw .last(verb: "put aside", object: path) }
    }
}
