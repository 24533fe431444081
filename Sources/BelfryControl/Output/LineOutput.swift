// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import EventLoop
internal import Glibc
package import SystemErrors

/// Lines that go out at once and never block the loop: what a slow reader does not take waits here.
///
/// A pipe that poll(2) calls writable takes PIPE_BUF bytes without blocking (pipe(7)), so the descriptor, which is
/// shared with other programs, need not be made non-blocking. Regular files never block and cannot be watched.
package final class LineOutput {
    /// Called once when no more can be written; nil when the reader has gone.
    package var onEnd: ((SystemError?) -> Void)?
    /// Called with true when too much waits, and with false when it has been taken.
    package var onCongestion: ((Bool) -> Void)?

    private let stream: StandardStream
    private let limit: Int
    private var source: DescriptorEventSource?
    private var waiting: [UInt8] = []
    private var written = 0
    private var isCongested = false
    private var isOver = false
    private var onWritten: (() -> Void)?

    /// An output on a standard stream. `limit` is how many bytes may wait before it calls itself congested.
    package init(_ stream: StandardStream, on loop: MainEventLoop, limit: Int = 256 << 10) {
        self.stream = stream
        self.limit = limit
        source = try? loop.source(descriptor: stream.descriptor, []) { [weak self] in self?.react($0) }
    }

    /// Writes a line, or keeps it until it can be written.
    package func write(_ line: String) {
        guard !isOver else { return }
        waiting += Array(line.utf8)
        waiting.append(UInt8(ascii: "\n"))
        drain()
    }

    /// Calls `handler` once nothing waits any more, unless no more can be written.
    package func whenWritten(_ handler: @escaping () -> Void) {
        onWritten = handler
        drain()
    }

    private func react(_ events: DescriptorEvents) {
        if !events.isDisjoint(with: [.error, .hangUp]) { return end(nil) }
        drain()
    }

    private func drain() {
        while !isOver, written < waiting.count, isWritable {
            let rest = waiting[written..<min(waiting.count, written + Int(PIPE_BUF))]
            let count = rest.withUnsafeBytes { Glibc.write(stream.descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN {
                break
            } else if errno != EINTR {
                let isGone = errno == EPIPE || errno == EIO
                return end(isGone ? nil : SystemError.last(verb: "write", object: stream.name))
            }
        }
        let isDone = written == waiting.count
        if isDone || written > limit {
            waiting.removeSubrange(..<written)
            written = 0
        }
        source?.events = isDone ? [] : .writable
        if isDone, let onWritten {
            self.onWritten = nil
            onWritten()
        }
        let isFull = waiting.count - written > (isCongested ? 0 : limit)
        guard isFull != isCongested else { return }
        isCongested = isFull
        onCongestion?(isFull)
    }

    private var isWritable: Bool {
        var state = pollfd(fd: stream.descriptor, events: Int16(POLLOUT), revents: 0)
        return source == nil || poll(&state, 1, 0) > 0
    }

    private func end(_ error: SystemError?) {
        guard !isOver else { return }
        isOver = true
        source?.cancel()
        waiting = []
        written = 0
        onEnd?(error)
    }
}
