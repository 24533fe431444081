// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// Gathers what is queued on all streams, and writes one batch to each stream: when the streams that were ready have been
/// served, or, for what is queued otherwise, when the loop has handled everything that was ready. It also has the buffers
/// that only one stream needs at a time.
final class TurnWriter {
    /// After all other event sources that are ready.
    private static let priority: Int64 = 1_000_000
    /// How long something may wait for a busy loop to become idle.
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
    /// Work for the time when the streams that are being served have been served.
    private var afterServing: [() -> Void] = []
    /// Whether no further call begins on any stream. Streams that have one are postponed until this ends.
    var holdsCalls = false {
        didSet { if !holdsCalls, !postponed.isEmpty { deferred?.schedule() } }
    }
    /// Whether streams are being served, after which everything is written.
    @exclusivity(unchecked)  // nothing calls out while it is changed
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
        streams.onServed = { [unowned self] in
            isServing = false
            // As long as a stream is postponed, no user gets more time, so that the loop becomes idle and the stream continues.
            if postponed.isEmpty { turn += 1 }
            if !isIdle { flush() }
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
        begin()
        dirty.append(stream)
    }

    /// Continues the stream in the next turn.
    func postpone(_ stream: FrameStream) {
        postponed.append(stream)
        if !holdsCalls { deferred?.schedule() }
    }

    /// Releases the streams, which were closed, before the end of the turn. It may never come.
    func releaseStreams() {
        dirty = []
        postponed = []
    }

    /// Does the work when the streams that are being served have been served; at once if none is.
    func afterServing(_ work: @escaping () -> Void) {
        if isServing { afterServing.append(work) } else { work() }
    }

    private var isIdle: Bool { dirty.isEmpty && afterServing.isEmpty }

    private func begin() {
        guard isIdle, !isServing else { return }
        since = .now
        deferred?.schedule()
    }

    /// Writes what has waited too long, in case the loop never runs out of work.
    func keepUp() {
        if !isServing, !isIdle, MonotonicInstant.now - since > Self.longestDelay { flush() }
    }

    /// Writes what is queued, and lets the streams continue.
    func flush() {
        var streams = write()
        // Streams that had calls in the turn before come after those that had none.
        _ = streams.partition { $0.lastTurn + 1 >= turn }
        isServing = true
        for stream in streams { stream.turnEnds() }
        isServing = false
        guard !isIdle else { return }
        since = .now
        deferred?.schedule()
    }

    /// Writes what is queued, and answers to which streams.
    @discardableResult
    func write() -> [FrameStream] {
        let work = afterServing
        afterServing = []
        for each in work { each() }
        let streams = dirty
        dirty = []
        for stream in streams { stream.writeTurn() }
        return streams
    }
}
