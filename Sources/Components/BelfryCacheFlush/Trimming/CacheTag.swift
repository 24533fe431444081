// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import Glibc

/// The file that marks a directory as a cache, so that the files in it may be deleted
/// (Cache Directory Tagging Specification, https://bford.info/cachedir/).
package nonisolated enum CacheTag {
    package static let name = "CACHEDIR.TAG"

    /// The beginning of the file.
    package static let signature = "Signature: 8a477f597d28d172789f06886806bc55"

    /// Requires a valid tag in a directory.
    ///
    /// - Throws: `tagMissing`, `tagNotRegular`, `tagSignature`, or `system` if it cannot be read.
    static func require(in root: CacheDirectory) throws(CacheError) {
        let path = root.path
        // Without O_NONBLOCK, opening a FIFO would block until there is a writer.
        let descriptor = openat(root.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: throw CacheError.tagMissing(path)
            case ELOOP, ENXIO: throw CacheError.tagNotRegular(path)
            default: throw failure(errno, path: path)
            }
        }
        defer { close(descriptor) }

        var status = belfry_status()
        let result = belfry_status_at(descriptor, "", &status)
        guard result == 0 else { throw failure(result, path: path) }
        guard belfry_is_regular(status.mode) else { throw CacheError.tagNotRegular(path) }

        let wanted = Array(signature.utf8)
        var found = [UInt8](repeating: 0, count: wanted.count)
        let count = pread(descriptor, &found, found.count, 0)
        guard count >= 0 else { throw failure(errno, path: path) }
        guard count == wanted.count, found == wanted else { throw CacheError.tagSignature(path) }
    }

    private static func failure(_ code: Int32, path: String) -> CacheError {
        CacheError(Errno(code), "read", "\(path)/\(name)")
    }
}
