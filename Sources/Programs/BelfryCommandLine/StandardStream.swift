// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryLinux
import Glibc

/// The reader of the output is gone, as `head` is after ten lines. That is no failure.
package struct OutputClosed: Error {}

/// A standard stream that is written in whole lines, without stdio buffering. SIGPIPE must be ignored.
package struct StandardStream: Sendable {
    /// Standard output.
    package static let output = StandardStream(STDOUT_FILENO, "standard output")
    /// Standard error.
    package static let error = StandardStream(STDERR_FILENO, "standard error")

    package let descriptor: Int32
    package let isTerminal: Bool
    private let name: String

    /// A terminal with room for only a part blocks for the rest. It is therefore opened again with O_NONBLOCK: the existing
    /// open file description is shared with other programs.
    private init(_ descriptor: Int32, _ name: String) {
        self.name = name
        isTerminal = isatty(descriptor) == 1
        let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let opened = isTerminal ? open("/proc/self/fd/\(descriptor)", flags) : -1
        self.descriptor = opened < 0 ? descriptor : opened
    }

    /// Writes lines, and blocks until they are written.
    ///
    /// - Throws: `OutputClosed` when the reader is gone, `ClientFailure` when writing fails.
    package func write(_ lines: [String]) throws {
        var pending = PendingLines()
        for line in lines { pending.append(line) }
        while !pending.isEmpty { if isWritable(within: -1) { try pending.write(to: self) } }
    }

    /// Writes lines; errors are ignored.
    package func writeIfPossible(_ lines: [String]) { try? write(lines) }

    /// Writes a line if that does not block.
    package func writeIfReady(_ line: String) {
        var pending = PendingLines()
        pending.append(line)
        while !pending.isEmpty, isWritable(), (try? pending.write(to: self)) != nil {}
    }

    /// Writes once, and returns the number of bytes written.
    package func writeOnce(_ bytes: ArraySlice<UInt8>) throws -> Int {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count < 0 else { return count }
        switch errno {
        case EAGAIN, EINTR: return 0
        case EPIPE, EIO, ECONNRESET: throw OutputClosed()
        default: throw ClientFailure(SystemError.last(verb: "write", object: name))
        }
    }

    /// Whether a write does not block, because there is room or an error to report; waits for that at most for `timeout`
    /// milliseconds, without limit if negative.
    package func isWritable(within timeout: Int32 = 0) -> Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&state, 1, timeout) > 0
    }
}
