// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// Gathers what one turn of the loop queues, over all streams, and writes each stream one batch when everything that
/// was ready has been handled. It also lends the streams the memory that only one of them needs at a time.
final class TurnWriter {
    /// After everything that is ready, whatever the priorities of other sources.
    private static let priority: Int64 = 1_000_000
    /// How long a reply may wait for a busy loop to become idle.
    private static let patience = Duration.milliseconds(2)

    /// What watches the streams.
    let streams: DescriptorGroup
    let input: UnsafeMutableRawBufferPointer
    let vectors: UnsafeMutableBufferPointer<iovec>
    private var dirty: [FrameStream] = []
    /// Counts the turns, from 1: one is over when everything that was ready has been handled.
    private(set) var turn: UInt64 = 1
    /// Streams that go on in the next turn.
    private var postponed: [FrameStream] = []
    private var broadcasts: [VarlinkBroadcast] = []
    private var spare: ReplyBatch?
    /// Messages of this turn that somebody has to wait for, by number: once for all broadcasts.
    var waiting: [UInt64: EncodedMessage] = [:]
    /// The memory of those that wait now, of this turn and of earlier ones.
    let shared = SharedMemory()
    /// Whether a stream is being served, which calls `served()` when that is done.
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

    /// The stream has something to write, or to go on with, at the end of the turn.
    func add(_ stream: FrameStream) {
        begin()
        dirty.append(stream)
    }

    /// The stream goes on when this turn is over.
    func postpone(_ stream: FrameStream) {
        postponed.append(stream)
        deferred?.schedule()
    }

    /// The broadcast has something to write at the end of the turn.
    func add(_ broadcast: VarlinkBroadcast) {
        begin()
        broadcasts.append(broadcast)
    }

    /// Lends an empty batch, to be given back.
    func takeBatch() -> ReplyBatch {
        defer { spare = nil }
        return spare ?? ReplyBatch()
    }

    func giveBack(_ batch: ReplyBatch) {
        batch.removeAll()
        spare = batch
    }

    private var isIdle: Bool { dirty.isEmpty && broadcasts.isEmpty }

    private func begin() {
        guard isIdle else { return }
        since = .now
        deferred?.schedule()
    }

    /// Called when a stream has been served: a loop that never runs out of work must not keep replies waiting.
    func served() {
        if !isIdle, MonotonicInstant.now - since > Self.patience { flush() }
    }

    /// Writes what the turn has brought: what all get first, since what one gets alone has its place after it.
    func flush() {
        let toAll = broadcasts
        broadcasts = []
        for broadcast in toAll { broadcast.flush() }
        waiting = [:]
        let streams = dirty
        dirty = []
        for stream in streams { stream.writeTurn() }
        // Those that had calls taken in the turn before this one come after those that had none.
        var late: [FrameStream] = []
        for stream in streams { if stream.lastTurn + 1 < turn { stream.turnEnds() } else { late.append(stream) } }
        for stream in late { stream.turnEnds() }
    }
}
