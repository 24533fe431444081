// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// Files that the kernel writes, such as those of proc(5) and of a control group.
package nonisolated enum KernelFile {
    /// The longest file that is read.
    private static let limit = 16 << 20

    /// The whole file.
    ///
    /// - Throws: `EFBIG` for a file of more than 16 MiB.
    package static func text(_ path: String) throws(SystemError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .last(verb: "read", object: path) }
        defer { close(descriptor) }
        let bytes = try FileContent.read(descriptor, of: path, limit: limit + 1)
        guard bytes.count <= limit else { throw SystemError(EFBIG, verb: "read", object: path) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first `limit` bytes of a file, with one read; nil when there is nothing to read.
    package static func beginning(of path: String, limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// The number after `key` in a file of lines `KEY NUMBER`; nil without such a file or line.
    package static func number(_ key: String, in path: String) -> UInt64? {
        (try? text(path)).flatMap { number(key, of: $0) }
    }

    /// The same in the text of such a file.
    package static func number(_ key: String, of text: String) -> UInt64? {
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "))
            if words.count == 2, words[0].elementsEqual(key.utf8) { return UInt64(Substring(words[1])) }
        }
        return nil
    }
}
