// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// Standard output and standard error, written without a buffer by the calling thread, which may block.
package nonisolated enum StandardStreams {
    /// Opens /dev/null in the place of those that are closed, so that nothing that is opened later gets their numbers,
    /// and what is written there goes nowhere else. Every program does it first.
    package static func openMissing() throws(SystemError) {
        for number in 0...2 as ClosedRange<Int32> where fcntl(number, F_GETFD) < 0 {
            // The lowest number that is free is this one.
            guard open("/dev/null", O_RDWR | O_NOCTTY) >= 0 else { throw .last(verb: "open", object: "/dev/null") }
        }
    }

    /// Writes to standard output. A loss is told on standard error.
    ///
    /// - Returns: whether nothing was lost.
    package static func output(_ text: String) -> Bool {
        let code = write(Array(text.utf8), to: STDOUT_FILENO)
        if isLoss(code) { error("\(SystemError(code, verb: "write", object: "standard output"))\n") }
        return !isLoss(code)
    }

    /// Whether what could not be written is lost, and not only because its reader is gone.
    package static func isLoss(_ code: Int32) -> Bool { ![0, EPIPE, EIO, ECONNRESET].contains(code) }

    /// Writes to standard error.
    package static func error(_ text: String) { error(Array(text.utf8)) }

    /// Writes bytes to standard error.
    package static func error(_ bytes: [UInt8]) { _ = write(bytes, to: STDERR_FILENO) }

    /// Writes bytes, and returns when all of them are written, or at the first failure.
    ///
    /// - Returns: 0 or an error number.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                // Another program has set O_NONBLOCK for all that share the stream.
                var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&state, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}
