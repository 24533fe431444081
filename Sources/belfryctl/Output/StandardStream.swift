// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryClient
internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// The reader of standard output is gone, as `head` is after ten lines. That is no failure.
package struct OutputEnd: Error {
    /// The end of the output.
    package init() {}
}

/// A standard stream that is written at once, without a buffer in between, in whole lines. SIGPIPE must be ignored.
package struct StandardStream: Sendable {
    /// Standard output.
    package static let output = StandardStream(STDOUT_FILENO, "standard output")
    /// Standard error.
    package static let error = StandardStream(STDERR_FILENO, "standard error")

    /// How long somebody may take nothing of a line that is to be finished, in milliseconds.
    private static let patience: Int32 = 2000

    /// What is written to.
    let descriptor: Int32
    /// Whether somebody reads it on a terminal.
    package let isTerminal: Bool
    private let name: String

    /// A terminal may have room for a part of what is written, and blocks for the rest. Opened anew it need not; the open
    /// one is shared with other programs.
    private init(_ descriptor: Int32, _ name: String) {
        self.name = name
        isTerminal = isatty(descriptor) == 1
        let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let opened = isTerminal ? open("/proc/self/fd/\(descriptor)", flags) : -1
        self.descriptor = opened < 0 ? descriptor : opened
    }

    /// Writes lines, and waits until they are written. SIGINT, SIGTERM and SIGHUP end the process between two lines, or
    /// at the second of them.
    ///
    /// - Throws: `OutputEnd` when nobody reads any more, `ControlFailure` when it cannot be written.
    package func write(_ lines: [String]) throws {
        var pending = PendingLines()
        for line in lines { pending.append(line) }
        try write(&pending, after: 0)
    }

    /// Writes lines if that is possible.
    package func attempt(_ lines: [String]) { try? write(lines) }

    /// Writes a line if that is possible without waiting.
    package func offer(_ line: String) {
        guard isWritable else { return }
        var pending = PendingLines()
        pending.append(line)
        while !pending.isEmpty, isWritable, (try? pending.write(to: self)) != nil {}
    }

    /// Writes what waits. After a signal it goes on only to the end of a line that was begun, and only as long as
    /// somebody takes something of it and no second one comes.
    ///
    /// - Parameter signals: how many have come before.
    func write(_ pending: inout PendingLines, after signals: Int) throws {
        // All that is usual: a line for which there is room.
        if signals == 0, pending.count <= Int(PIPE_BUF), isWritable { try pending.write(to: self) }
        guard !pending.isEmpty else { return }
        var held = HeldSignals(after: signals)
        defer { held.release() }
        while held.count <= 1, pending.isInsideLine || (held.count == 0 && !pending.isEmpty) {
            var states = [
                pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: held.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&states, 2, held.count == 0 ? -1 : Self.patience)
            if count == 0 { return }
            if count > 0, states[0].revents != 0 { try pending.write(to: self) }
            if count > 0, states[1].revents != 0 { held.take() }
        }
    }

    /// Writes some of this, and returns how much.
    func writeOnce(_ bytes: ArraySlice<UInt8>) throws -> Int {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count < 0 else { return count }
        switch errno {
        case EAGAIN, EINTR: return 0
        case EPIPE, EIO, ECONNRESET: throw OutputEnd()
        default: throw ControlFailure(SystemError.last(verb: "write", object: name))
        }
    }

    /// Whether there is room, or nobody who would make any.
    var isWritable: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&state, 1, 0) > 0
    }
}

/// SIGINT, SIGTERM and SIGHUP while something is done that they must not cut short. Those that are ignored stay so.
struct HeldSignals {
    /// Readable when one has come; negative when they could not be held.
    let descriptor: Int32
    /// How many have come.
    private(set) var count: Int
    private var latest: Int32?
    private var mask = sigset_t()

    /// Holds them back from now on. `count` is how many had come before.
    init(after count: Int) {
        self.count = count
        var held = sigset_t()
        sigemptyset(&held)
        for number in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(number) { sigaddset(&held, number) }
        descriptor = signalfd(-1, &held, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
        if descriptor >= 0 { pthread_sigmask(SIG_BLOCK, &held, &mask) }
    }

    /// Takes one that has come.
    mutating func take() {
        var info = signalfd_siginfo()
        guard read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size) > 0 else { return }
        count += 1
        latest = Int32(clamping: info.ssi_signo)
    }

    /// Lets them take their course: one that has come and was not held back before ends the process.
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
