// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc
internal import SystemErrors

/// A standard stream that is written at once, without a buffer in between. SIGPIPE must be ignored.
package nonisolated struct StandardStream: Sendable {
    /// Standard output.
    package static let output = StandardStream(descriptor: STDOUT_FILENO, name: "standard output")
    /// Standard error.
    package static let error = StandardStream(descriptor: STDERR_FILENO, name: "standard error")

    /// The stream's descriptor.
    package let descriptor: Int32
    let name: String

    /// Whether somebody reads it on a terminal.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes lines, and waits until they are written.
    ///
    /// - Throws: `OutputEnd` when nobody reads any more, `ControlFailure` when it cannot be written.
    package func write(_ lines: [String]) throws {
        let bytes = Array(lines.map { "\($0)\n" }.joined().utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN {
                var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&state, 1, -1)
            } else if errno == EPIPE {
                throw OutputEnd()
            } else if errno != EINTR {
                throw ControlFailure(SystemError.last(verb: "write", object: name))
            }
        }
    }

    /// Writes lines if that is possible.
    package func attempt(_ lines: [String]) { try? write(lines) }
}
