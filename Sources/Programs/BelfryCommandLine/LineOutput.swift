// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryClient
package import BelfryEventLoop
import Glibc

/// Writes lines at once without blocking the loop. Lines that a slow reader does not take are buffered.
@MainActor
package final class LineOutput {
    /// Called once when no more can be written; with nil when the reader is gone.
    package var onEnd: ((ClientFailure?) -> Void)?
    /// Called with true when the buffer is over its limit, and with false when it is empty again.
    package var onCongestion: ((Bool) -> Void)?

    /// The number of buffered bytes above which the output is congested.
    private static let limit = 256 << 10
    /// How long the reader may take nothing of a line that is completed after a signal.
    private static let stallTimeout = Duration.seconds(2)

    private let stream: StandardStream
    private let loop: MainEventLoop
    private var source: DescriptorEventSource?
    private var pending = PendingLines()
    private var isCongested = false
    private var isOver = false
    private var onWritten: (() -> Void)?
    private var stallTimer: TimerEventSource?

    /// An output on a standard stream.
    package init(_ stream: StandardStream, on loop: MainEventLoop) {
        self.stream = stream
        self.loop = loop
        // Regular files do not block, and epoll(7) refuses them.
        source = try? loop.source(descriptor: stream.descriptor, []) { [weak self] in self?.react($0) }
    }

    /// Writes a line, or buffers it until it can be written.
    package func write(_ line: String) {
        guard !isOver else { return }
        pending.append(line)
        drain()
    }

    /// Calls `handler` once the buffer is empty, unless writing has failed.
    package func whenWritten(_ handler: @escaping () -> Void) {
        onWritten = handler
        drain()
    }

    /// Drops lines that were not begun, and calls `handler` once a line that was begun is written or its reader stalls.
    package func completeLine(_ handler: @escaping () -> Void) {
        pending.removeUnstartedLines()
        stallTimer = try? loop.timer(after: Self.stallTimeout, handler)
        whenWritten(handler)
    }

    /// Whether the output ends inside a line that somebody could still read.
    package var endsInsideLine: Bool { !isOver && pending.isInsideLine }

    private func react(_ events: DescriptorEvents) {
        if !events.isDisjoint(with: [.error, .hangUp]) { return end(nil) }
        drain()
    }

    private func drain() {
        do {
            while !isOver, !pending.isEmpty, source == nil || stream.isWritable() {
                try pending.write(to: stream)
                try? stallTimer?.fire(after: Self.stallTimeout)
            }
        } catch {
            return end(error as? ClientFailure)
        }
        source?.events = pending.isEmpty ? [] : .writable
        if pending.isEmpty, let onWritten {
            self.onWritten = nil
            onWritten()
        }
        let isFull = pending.count > (isCongested ? 0 : Self.limit)
        guard isFull != isCongested else { return }
        isCongested = isFull
        onCongestion?(isFull)
    }

    private func end(_ failure: ClientFailure?) {
        guard !isOver else { return }
        isOver = true
        source?.cancel()
        onEnd?(failure)
    }
}

/// A buffer of lines, which knows whether the first one has been written in part.
package struct PendingLines {
    private static let lineEnd = UInt8(ascii: "\n")

    private var bytes: [UInt8] = []
    private var head = 0
    /// Whether the last byte written was inside a line.
    package private(set) var isInsideLine = false

    /// The number of buffered bytes.
    package var count: Int { bytes.count - head }
    package var isEmpty: Bool { count == 0 }

    package mutating func append(_ line: String) {
        bytes += line.utf8
        bytes.append(Self.lineEnd)
    }

    /// Removes all but the rest of a line that was begun.
    package mutating func removeUnstartedLines() {
        var end = head
        if isInsideLine { end = bytes[head...].firstIndex(of: Self.lineEnd).map { $0 + 1 } ?? bytes.count }
        bytes.removeSubrange(end...)
    }

    /// Writes once to a descriptor that poll(2) reports as writable: as many whole lines as fit in PIPE_BUF bytes, which a pipe
    /// accepts atomically and without blocking (pipe(7)), or a part of a longer line.
    ///
    /// - Throws: `OutputClosed` when the reader is gone, `ClientFailure` when writing fails.
    package mutating func write(to stream: StandardStream) throws {
        let window = bytes[head..<min(bytes.count, head + Int(PIPE_BUF))]
        let chunk = window.lastIndex(of: Self.lineEnd).map { bytes[head...$0] } ?? window
        let count = try stream.writeOnce(chunk)
        guard count > 0 else { return }
        head += count
        isInsideLine = bytes[head - 1] != Self.lineEnd
        if isEmpty || head > bytes.count / 2 {
            bytes.removeSubrange(..<head)
            head = 0
        }
    }
}
