// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// Gathers what one turn of the loop queues on all streams, and writes one batch to each stream when everything that was
/// ready has been handled. It also has the buffers that only one stream needs at a time.
final class TurnWriter {
    /// After all other event sources that are ready.
    private static let priority: Int64 = 1_000_000
    /// How long a reply may wait for a busy loop to become idle.
    private static let longestDelay = Duration.milliseconds(2)

    /// Watches the streams.
    let streams: DescriptorGroup
    let input: UnsafeMutableRawBufferPointer
    let vectors: UnsafeMutableBufferPointer<iovec>
    private var dirty: [FrameStream] = []
    /// The number of the turn, from 1. A turn is over when everything that was ready has been handled.
    private(set) var turn: UInt64 = 1
    /// Streams that continue in the next turn.
    private var postponed: [FrameStream] = []
    private var broadcasts: [VarlinkBroadcast] = []
    private var spare: ReplyBatch?
    /// Messages of this turn that have to wait for a client, by number, shared by all broadcasts.
    var waiting: [UInt64: EncodedMessage] = [:]
    /// Counts the memory of messages that wait for several clients.
    let shared = SharedMemory()
    /// Whether a stream is being served, which calls `served()` afterwards.
    var isServing = false
    private var since = MonotonicInstant(microseconds: 0)
    private var deferred: DeferredEventSource?

    init(on loop: MainEventLoop) throws(SystemError) {
        streams = try DescriptorGroup(on: loop)
        input = .allocate(byteCount: 64 << 10, alignment: 16)
        vectors = .allocate(capacity: 256)
        deferred = try loop.deferred { [unowned self] in
            turn += 1
            dirty += postponed
            postponed = []
            flush()
        }
        deferred?.priority = Self.priority
    }

    isolated deinit {
        deferred?.cancel()
        input.deallocate()
        vectors.deallocate()
    }

    /// Adds a stream that has something to write, or to continue, at the end of the turn.
    func add(_ stream: FrameStream) {
        begin()
        dirty.append(stream)
    }

    /// Continues the stream in the next turn.
    func postpone(_ stream: FrameStream) {
        postponed.append(stream)
        deferred?.schedule()
    }

    /// Adds a broadcast that has something to write at the end of the turn.
    func add(_ broadcast: VarlinkBroadcast) {
        begin()
        broadcasts.append(broadcast)
    }

    /// An empty batch, to be returned with `returnBatch(_:)`.
    func borrowBatch() -> ReplyBatch {
        defer { spare = nil }
        return spare ?? ReplyBatch()
    }

    func returnBatch(_ batch: ReplyBatch) {
        batch.removeAll()
        spare = batch
    }

    private var isIdle: Bool { dirty.isEmpty && broadcasts.isEmpty }

    private func begin() {
        guard isIdle else { return }
        since = .now
        deferred?.schedule()
    }

    /// Called when a stream has been served. It writes what has waited too long, in case the loop never runs out of work.
    func served() {
        if !isIdle, MonotonicInstant.now - since > Self.longestDelay { flush() }
    }

    /// Writes what the turn has queued. Broadcasts come first, since a reply to one client flushes them before.
    func flush() {
        let toAll = broadcasts
        broadcasts = []
        for broadcast in toAll { broadcast.flush() }
        waiting = [:]
        let streams = dirty
        dirty = []
        for stream in streams { stream.writeTurn() }
        // Streams that had calls in the turn before come after those that had none.
        var late: [FrameStream] = []
        for stream in streams { if stream.lastTurn + 1 < turn { stream.turnEnds() } else { late.append(stream) } }
        for stream in late { stream.turnEnds() }
    }
}
