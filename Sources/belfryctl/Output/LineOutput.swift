// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryClient
package import BelfryEventLoop
internal import Glibc

/// Lines that go out at once and never block the loop: what a slow reader does not take waits here.
@MainActor
package final class LineOutput {
    /// Called once when no more can be written; nil when the reader has gone.
    package var onEnd: ((ControlFailure?) -> Void)?
    /// Called with true when too much waits, and with false when it has been taken.
    package var onCongestion: ((Bool) -> Void)?

    private let stream: StandardStream
    private let limit: Int
    private var source: DescriptorEventSource?
    private var pending = PendingLines()
    private var isCongested = false
    private var isOver = false
    private var onWritten: (() -> Void)?

    /// An output on a standard stream. `limit` is how many bytes may wait before it calls itself congested.
    package init(_ stream: StandardStream, on loop: MainEventLoop, limit: Int = 256 << 10) {
        self.stream = stream
        self.limit = limit
        // Regular files never block and cannot be watched.
        source = try? loop.source(descriptor: stream.descriptor, []) { [weak self] in self?.react($0) }
    }

    /// Writes a line, or keeps it until it can be written.
    package func write(_ line: String) {
        guard !isOver else { return }
        pending.append(line)
        drain()
    }

    /// Calls `handler` once nothing waits any more, unless no more can be written.
    package func whenWritten(_ handler: @escaping () -> Void) {
        onWritten = handler
        drain()
    }

    /// Ends the output, and blocks for that. After a signal only a line that was begun is finished, unless the reader takes
    /// nothing of it or a second one comes; otherwise all that waits is written.
    ///
    /// - Parameter signals: how many have come.
    /// - Returns: whether the output ends with a whole line, or nobody reads it.
    package func finish(after signals: Int) -> Bool {
        guard !isOver else { return true }
        isOver = true
        source?.cancel()
        if signals > 0 { pending.removeWhatIsNotBegun() }
        do {
            try stream.write(&pending, after: signals)
        } catch {
            return true
        }
        return !pending.isInsideLine
    }

    private func react(_ events: DescriptorEvents) {
        if !events.isDisjoint(with: [.error, .hangUp]) { return end(nil) }
        drain()
    }

    private func drain() {
        do {
            while !isOver, !pending.isEmpty, source == nil || stream.isWritable { try pending.write(to: stream) }
        } catch {
            return end(error as? ControlFailure)
        }
        source?.events = pending.isEmpty ? [] : .writable
        if pending.isEmpty, let onWritten {
            self.onWritten = nil
            onWritten()
        }
        let isFull = pending.count > (isCongested ? 0 : limit)
        guard isFull != isCongested else { return }
        isCongested = isFull
        onCongestion?(isFull)
    }

    private func end(_ failure: ControlFailure?) {
        guard !isOver else { return }
        isOver = true
        source?.cancel()
        onEnd?(failure)
    }
}

/// Lines that are still to be written, and whether the first of them was begun.
struct PendingLines {
    private static let lineEnd = UInt8(ascii: "\n")

    private var bytes: [UInt8] = []
    private var head = 0
    /// Whether what was written ends inside a line.
    private(set) var isInsideLine = false

    /// How many bytes wait.
    var count: Int { bytes.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ line: String) {
        bytes += line.utf8
        bytes.append(Self.lineEnd)
    }

    /// Leaves only the rest of a line that was begun.
    mutating func removeWhatIsNotBegun() {
        var end = head
        if isInsideLine { end = bytes[head...].firstIndex(of: Self.lineEnd).map { $0 + 1 } ?? bytes.count }
        bytes.removeSubrange(end...)
    }

    /// Writes once to a descriptor that poll(2) calls writable: as many whole lines as PIPE_BUF bytes hold, which a pipe
    /// takes without blocking and together (pipe(7)), or a part of a longer line.
    ///
    /// - Throws: `OutputEnd` when nobody reads any more, `ControlFailure` when it cannot be written.
    mutating func write(to stream: StandardStream) throws {
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
