// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// Gathers what is queued on all streams, and writes one batch to each stream: when the streams that were ready have
/// been served, or, for what is queued otherwise, when the loop has handled everything that was ready. It also has the
/// buffers that only one stream needs at a time.
final class TurnWriter {
    /// After all other event sources that are ready.
    private static let priority: Int64 = 1_000_000

    /// Watches the streams.
    let streams: DescriptorGroup
    let input: UnsafeMutableRawBufferPointer
    let vectors: UnsafeMutableBufferPointer<iovec>
    @exclusivity(unchecked)  // nothing calls out while it is changed
    private var dirty: [FrameStream] = []
    /// Without elements: the memory of the last turn's.
    private var spare: [FrameStream] = []
    /// The number of the turn, from 1. A turn is over when everything that was ready has been handled.
    private(set) var turn: UInt64 = 1
    /// Streams that continue in the next turn.
    private var postponed: [FrameStream] = []
    /// Whether streams are being served, after which everything is written.
    var isServing = false
    private var deferred: DeferredEventSource?

    init(on loop: MainEventLoop) throws(SystemError) {
        streams = try DescriptorGroup(on: loop)
        input = .allocate(byteCount: 64 << 10, alignment: 16)
        vectors = .allocate(capacity: 256)
        deferred = try loop.deferred { [unowned self] in
            turn += 1
            for stream in postponed { stream.continues = true }
            dirty += postponed
            postponed = []
            flush()
        }
        deferred?.priority = Self.priority
        streams.onServed = { [unowned self] in
            isServing = false
            // As long as a stream is postponed, no user gets more time, so that the loop becomes idle and the stream
            // continues.
            if postponed.isEmpty { turn += 1 }
            if !dirty.isEmpty { flush() }
        }
    }

    isolated deinit {
        streams.onServed = nil
        deferred?.cancel()
        input.deallocate()
        vectors.deallocate()
    }

    /// Adds a stream that has something to write, or to continue, at the end of the turn.
    func add(_ stream: FrameStream) {
        if dirty.isEmpty, !isServing { deferred?.schedule() }
        dirty.append(stream)
    }

    /// Continues the stream in the next turn.
    func postpone(_ stream: FrameStream) {
        postponed.append(stream)
        deferred?.schedule()
    }

    /// Releases the streams, which were closed, before the end of the turn. It may never come.
    func releaseStreams() {
        (dirty, spare, postponed) = ([], [], [])
    }

    /// Does work, and writes at once what it has queued and what waits. While streams are being served, it is written
    /// with what they queue.
    func writeAtOnce(_ work: () -> Void) {
        guard !isServing else { return work() }
        isServing = true
        work()
        isServing = false
        writeNow()
    }

    /// Writes what waits, also while streams are being served. They continue at the end of the turn.
    func writeNow() {
        for stream in write() { stream.needsTurn() }
    }

    /// Writes what is queued, and lets the streams continue.
    func flush() {
        var streams = write()
        // Whoever had no call for longest comes first, so that nobody waits for all connections of another user.
        if streams.count > 1 {
            streams.sort { ($0.lastTurnOfUser, $0.lastTurn) < ($1.lastTurnOfUser, $1.lastTurn) }
        }
        isServing = true
        for stream in streams { stream.turnEnds() }
        isServing = false
        if !dirty.isEmpty { deferred?.schedule() }
    }

    /// Writes what is queued. Returns the streams that continue.
    @discardableResult
    func write() -> [FrameStream] {
        var streams = dirty
        (dirty, spare) = (spare, [])
        var continuing: [FrameStream] = []
        for stream in streams {
            let continues = stream.continues
            // Before it is written, and not when it continues: a stream may be twice in the list, or write for so long
            // that it has another turn, and what it queues or leaves in between must count.
            stream.continues = false
            let isWaiting = stream.writeTurn()
            if continues || isWaiting || stream.continues { continuing.append(stream) }
        }
        streams.removeAll(keepingCapacity: true)
        spare = streams
        return continuing
    }
}
