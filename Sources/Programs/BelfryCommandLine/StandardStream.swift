// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryLinux
import Glibc

/// The reader of the output is gone, as `head` is after ten lines. That is no failure.
package struct OutputClosed: Error {}

/// A standard stream that is written without stdio buffering. A slow reader holds the program up, as it does any other.
/// SIGPIPE must be ignored.
package struct StandardStream: Sendable {
    /// Standard output.
    package static let output = StandardStream(descriptor: STDOUT_FILENO, name: "standard output")
    /// Standard error.
    package static let error = StandardStream(descriptor: STDERR_FILENO, name: "standard error")

    package let descriptor: Int32
    private let name: String

    /// Whether it is a terminal.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes text, and returns when all of it is written.
    ///
    /// - Throws: `OutputClosed` when the reader is gone, `ClientFailure` when writing fails.
    package func write(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: break
            // Another program has set O_NONBLOCK for all that share the stream.
            case EAGAIN:
                var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&state, 1, -1)
            case EPIPE, EIO, ECONNRESET: throw OutputClosed()
            default: throw ClientFailure(SystemError.last(verb: "write", object: name))
            }
        }
    }

    /// Writes lines.
    package func write(_ lines: [String]) throws { try write(lines.map { $0 + "\n" }.joined()) }

    /// Writes lines; errors are ignored.
    package func writeIfPossible(_ lines: [String]) { try? write(lines) }
}
