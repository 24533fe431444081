// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// Standard output and standard error, written without a buffer by the calling thread, which may block.
package nonisolated enum StandardStreams {
    /// Writes to standard output.
    package static func output(_ text: String) { write(Array(text.utf8), to: STDOUT_FILENO) }

    /// Writes to standard error.
    package static func error(_ text: String) { error(Array(text.utf8)) }

    /// Writes bytes to standard error.
    package static func error(_ bytes: [UInt8]) { write(bytes, to: STDERR_FILENO) }

    /// Nobody can be told of a failure, which ends the write.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno != EINTR { return }
            rest = rest.dropFirst(max(written, 0))
        }
    }
}
