// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// Reads files that are open, and symbolic links.
package nonisolated enum FileContent {
    /// The first `limit` bytes of a file.
    ///
    /// - Parameter path: its path, for the error.
    package static func read(_ descriptor: Int32, of path: String, limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit, 16 << 10))
        while bytes.count < limit {
            let count = Glibc.read(descriptor, &buffer, min(limit - bytes.count, buffer.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last(verb: "read", object: path) }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// Where a symbolic link leads; nil for any other file.
    package static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        return count < 0 ? nil : String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether this is /dev/null.
    package static func isNull(_ descriptor: Int32) -> Bool {
        var (null, own) = (stat(), stat())
        return stat("/dev/null", &null) == 0 && fstat(descriptor, &own) == 0 && null.st_rdev == own.st_rdev
    }
}
