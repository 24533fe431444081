// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CSystemd
internal import EventLoop
internal import Glibc
internal import SystemErrors

/// One connected socket: reads what arrives into frames, and writes queued messages in batches. Clients' and
/// servers' ends of a connection are made of it.
class FrameStream {
    /// Why a stream ended.
    enum End {
        case peerGone
        case failed(SystemError)
    }

    final let writer: TurnWriter
    final var frames: VarlinkFrameReader
    private final var descriptor: Int32
    private final var source: DescriptorEventSource?
    private final var watched: DescriptorEvents = .readable

    private final var queue: [EncodedMessage] = []
    private final var queueHead = 0
    /// How much of the message at `queueHead` was written.
    private final var written = 0
    private final var isDirty = false
    private final var isBlocked = false

    /// Bytes that wait to be written.
    private(set) final var queuedBytes = 0
    /// Messages written since the beginning. With `queued` it numbers every message of the stream.
    private(set) final var sent: UInt64 = 0
    /// The peer will send nothing more.
    private(set) final var inputEnded = false
    /// Whether input is taken, or left to the kernel to hold.
    final var takesInput = true { didSet { if takesInput != oldValue { watch() } } }

    private final var failure: End?

    /// Takes over the descriptor, which is closed with the stream.
    init(_ descriptor: Int32, frameLimit: Int, writer: TurnWriter) {
        self.descriptor = descriptor
        self.writer = writer
        frames = VarlinkFrameReader(limit: frameLimit)
    }

    /// Begins to read.
    final func start(on loop: MainEventLoop) throws(SystemError) {
        source = try loop.source(descriptor: descriptor, .readable) { [unowned self] in ready($0) }
    }

    isolated deinit { shut() }

    final var isClosed: Bool { descriptor < 0 }

    /// Messages that wait to be written.
    final var queued: Int { queue.count - queueHead }

    // What an end of a connection does about it.

    /// Frames may have arrived, room may have come in the queue, or the input has ended.
    func proceed() {}

    /// The peer is gone, or the stream failed. It is still open, so that what was received can be dealt with; it is
    /// closed afterwards.
    func ended(_ end: End) {}

    // Input

    private final func ready(_ events: DescriptorEvents) {
        if events.contains(.writable) {
            isBlocked = false
            write()
            if !isClosed { proceed() }
        }
        if !isClosed, events.contains(.readable), takesInput, !inputEnded {
            read()
            if !isClosed { proceed() }
        }
        if !isClosed, events.contains(.hangUp) || events.contains(.error) { hungUp(.peerGone) }
        writer.served()
    }

    /// Takes one batch, so that a sender who never pauses leaves time for others. Answers whether there may be more.
    @discardableResult
    private final func read() -> Bool {
        let count = Glibc.read(descriptor, writer.input.baseAddress, writer.input.count)
        if count > 0 {
            frames.append(UnsafeRawBufferPointer(rebasing: writer.input[..<count]))
            return true
        }
        if count < 0, errno == EINTR { return true }
        if count < 0, errno == EAGAIN { return false }
        inputEnded = true
        watch()
        return false
    }

    /// The peer reads no more; what it sent before still counts.
    private final func hungUp(_ end: End) {
        guard !isClosed else { return }
        failure = end
        dropQueue(from: 0)
        ended(end)
        while !isClosed, !inputEnded, read() { proceed() }
        close()
    }

    // Output

    /// Queues a message for the end of the turn.
    final func queue(_ message: EncodedMessage) {
        guard !isClosed, failure == nil else { return }
        queue.append(message)
        queuedBytes += message.count
        guard !isBlocked else { return }
        if queued >= writer.vectors.count { write() } else { needsTurn() }
    }

    /// Has `turnEnds` called.
    final func needsTurn() {
        guard !isDirty, !isClosed else { return }
        isDirty = true
        writer.add(self)
    }

    final func turnEnds() {
        isDirty = false
        guard !isClosed else { return }
        if let failure { return hungUp(failure) }
        if !isBlocked { write() }
        if !isClosed { proceed() }
    }

    /// Writing is of no use any more. Dealt with in a turn of its own, as this may be in the middle of a call.
    private final func fail(_ error: SystemError) {
        failure = error.code == EPIPE || error.code == ECONNRESET ? .peerGone : .failed(error)
        dropQueue(from: 0)
        isBlocked = false
        watch()
        needsTurn()
    }

    /// Drops queued messages from number `first` on, except one that was partly written. Answers how many.
    @discardableResult
    final func dropQueue(from first: UInt64) -> Int {
        let begun = sent + (written > 0 && failure == nil ? 1 : 0)
        let start = queueHead + Int(max(first, begun) - sent)
        guard start < queue.count else { return 0 }
        let dropped = queue.count - start
        for message in queue[start...] { queuedBytes -= message.count }
        queue.removeSubrange(start...)
        return dropped
    }

    /// Writes what is queued until the kernel's buffer is full.
    final func write() {
        while queueHead < queue.count {
            let (count, bytes) = fillVectors()
            var message = msghdr()
            message.msg_iov = writer.vectors.baseAddress
            message.msg_iovlen = count
            let result = sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            if result < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN { break }
                return fail(SystemError.last(verb: "write to", object: "socket"))
            }
            consume(result)
            if result < bytes { break }
        }
        isBlocked = queueHead < queue.count
        compact()
        watch()
    }

    private final func fillVectors() -> (count: Int, bytes: Int) {
        var bytes = 0
        let batch = queue[queueHead...].prefix(writer.vectors.count)
        for (slot, message) in batch.enumerated() {
            let skipped = slot == 0 ? written : 0
            writer.vectors[slot] = iovec(iov_base: message.base + skipped, iov_len: message.count - skipped)
            bytes += message.count - skipped
        }
        return (batch.count, bytes)
    }

    private final func consume(_ count: Int) {
        queuedBytes -= count
        written += count
        while queueHead < queue.count, written >= queue[queueHead].count {
            written -= queue[queueHead].count
            queueHead += 1
            sent += 1
        }
    }

    private final func compact() {
        if queueHead == queue.count {
            queue.removeAll(keepingCapacity: queue.capacity <= 16)
            queueHead = 0
        } else if queueHead > 256, queueHead > queue.count / 2 {
            queue.removeSubrange(..<queueHead)
            queueHead = 0
        }
    }

    private final func watch() {
        var events: DescriptorEvents = []
        if takesInput, !inputEnded { events.insert(.readable) }
        if isBlocked { events.insert(.writable) }
        guard events != watched else { return }
        watched = events
        source?.events = events
    }

    /// Closes the socket; what is still queued is lost. Nothing is called afterwards.
    func close() { shut() }

    private final func shut() {
        guard !isClosed else { return }
        source?.cancel()
        source = nil
        Glibc.close(descriptor)
        descriptor = -1
        queue = []
        queueHead = 0
        written = 0
        queuedBytes = 0
    }
}
