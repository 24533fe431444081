// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryLinux
import CBelfry
import Glibc

/// The reader of the output is gone, as `head` is after ten lines. That is no failure.
struct OutputClosed: Error {
    /// The end of the output.
    init() {}
}

/// A standard stream that is written in whole lines, without stdio buffering. SIGPIPE must be ignored.
struct StandardStream: Sendable {
    /// Standard output.
    static let output = StandardStream(STDOUT_FILENO, "standard output")
    /// Standard error.
    static let error = StandardStream(STDERR_FILENO, "standard error")

    /// How long a reader may take nothing of a line that is being completed, in milliseconds.
    private static let stallTimeout: Int32 = 2000

    let descriptor: Int32
    let isTerminal: Bool
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

    /// Writes lines, and blocks until they are written. SIGINT, SIGTERM and SIGHUP end the process between two lines; a
    /// second signal ends it at once.
    ///
    /// - Throws: `OutputClosed` when the reader is gone, `ClientFailure` when writing fails.
    func write(_ lines: [String]) throws {
        var pending = PendingLines()
        for line in lines { pending.append(line) }
        try write(&pending, after: 0)
    }

    /// Writes lines; errors are ignored.
    func writeIfPossible(_ lines: [String]) { try? write(lines) }

    /// Writes a line if that does not block.
    func writeIfReady(_ line: String) {
        guard isWritable else { return }
        var pending = PendingLines()
        pending.append(line)
        while !pending.isEmpty, isWritable, (try? pending.write(to: self)) != nil {}
    }

    /// Writes a buffer. After a signal it continues only to the end of a line that was begun, until the reader stalls or a
    /// second signal comes.
    ///
    /// - Parameter signals: the number of signals so far.
    func write(_ pending: inout PendingLines, after signals: Int) throws {
        // The common case: one short line.
        if signals == 0, pending.count <= Int(PIPE_BUF), isWritable { try pending.write(to: self) }
        guard !pending.isEmpty else { return }
        var blocked = BlockedSignals(after: signals)
        defer { blocked.release() }
        while blocked.count <= 1, pending.isInsideLine || (blocked.count == 0 && !pending.isEmpty) {
            var states = [
                pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: blocked.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&states, 2, blocked.count == 0 ? -1 : Self.stallTimeout)
            if count == 0 { return }
            if count > 0, states[0].revents != 0 { try pending.write(to: self) }
            if count > 0, states[1].revents != 0 { blocked.receive() }
        }
    }

    /// Writes once, and returns the number of bytes written.
    func writeOnce(_ bytes: ArraySlice<UInt8>) throws -> Int {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count < 0 else { return count }
        switch errno {
        case EAGAIN, EINTR: return 0
        case EPIPE, EIO, ECONNRESET: throw OutputClosed()
        default: throw ClientFailure(SystemError.last(verb: "write", object: name))
        }
    }

    /// Whether a write does not block: there is room, or an error to report.
    var isWritable: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&state, 1, 0) > 0
    }
}

/// Blocks SIGINT, SIGTERM and SIGHUP while a line is written. Ignored signals stay ignored.
struct BlockedSignals {
    /// Readable when a signal is pending; negative when the signals could not be blocked.
    let descriptor: Int32
    /// The number of signals so far.
    private(set) var count: Int
    private var latest: Int32?
    private var mask = sigset_t()

    /// Blocks the signals. `count` is the number of signals before.
    init(after count: Int) {
        self.count = count
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(number) { sigaddset(&signals, number) }
        descriptor = signalfd(-1, &signals, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
        if descriptor >= 0 { pthread_sigmask(SIG_BLOCK, &signals, &mask) }
    }

    /// Reads a pending signal.
    mutating func receive() {
        var info = signalfd_siginfo()
        guard read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size) > 0 else { return }
        count += 1
        latest = Int32(clamping: info.ssi_signo)
    }

    /// Restores the signal mask, and raises the last signal again if it was not blocked before.
    func release() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        var mask = mask
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        if let latest, sigismember(&mask, latest) == 0 { raise(latest) }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignored
    }
}
