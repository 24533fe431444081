// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import Glibc

/// Files with credentials.
nonisolated enum FileBytes {
    /// The content of a file.
    ///
    /// - Throws: `unable to read 'PATH': …`; a file of more than 1 MiB is `EFBIG`.
    static func read(_ path: String) throws(BrokerFailure) -> [UInt8] {
        do throws(SystemError) {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
            guard descriptor >= 0 else { throw .last(verb: "read", object: path) }
            defer { close(descriptor) }
            let bytes = try FileContent.read(descriptor, of: path, limit: 1 << 20)
            guard bytes.count < 1 << 20 else { throw SystemError(EFBIG, verb: "read", object: path) }
            return bytes
        } catch {
            throw BrokerFailure("\(error)")
        }
    }
}
