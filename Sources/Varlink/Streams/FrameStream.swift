// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// One connected socket: reads what arrives into frames, and writes queued messages in batches. Clients' and
/// servers' ends of a connection are made of it.
class FrameStream {
    /// Why a stream ended.
    enum End {
        case peerGone
        case failed(SystemError)
    }

    /// Bytes that are not kept for the end of the turn.
    private static let patience = 1 << 20

    final let writer: TurnWriter
    @exclusivity(unchecked)  // nothing calls out while it is changed
    final var frames: VarlinkFrameReader
    private(set) final var descriptor: Int32
    private final var member: DescriptorGroup.Member?
    private final var watched: DescriptorEvents = .readable

    private final var output = MessageQueue()
    /// Records what is written.
    final var recorder: (any VarlinkWriteRecorder)?
    private final var isDirty = false
    /// The turn in which a call was last taken from it; 0 for none.
    final var lastTurn: UInt64 = 0
    private final var isBlocked = false

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
    final func start() throws(SystemError) {
        member = try writer.streams.add(descriptor, .readable) { [unowned self] in ready($0) }
    }

    isolated deinit { shut() }

    final var isClosed: Bool { descriptor < 0 }

    /// Messages that wait to be written.
    final var queued: Int { output.count }

    /// Their bytes.
    final var queuedBytes: Int { output.byteCount }

    /// Those of them that are of messages that wait for several clients.
    final var sharedBytes: Int { output.sharedByteCount }

    /// Messages written since the beginning. With `queued` it numbers every message of the stream.
    final var sent: UInt64 { output.sent }

    // What an end of a connection does about it.

    /// Frames may have arrived, room may have come in the queue, or the input has ended.
    func proceed() {}

    /// The peer is gone, or the stream failed. It is still open, so that what was received can be dealt with; it is
    /// closed afterwards.
    func ended(_ end: End) {}

    // Input

    private final func ready(_ events: DescriptorEvents) {
        writer.isServing = true
        if events.contains(.writable) {
            write()
            if !isClosed { proceed() }
        }
        if !isClosed, events.contains(.readable), takesInput, !inputEnded {
            read()
            if !isClosed { proceed() }
        }
        if !isClosed, events.contains(.hangUp) || events.contains(.error) { hungUp(.peerGone) }
        writer.isServing = false
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
        output.removeAll()
        ended(end)
        while !isClosed, !inputEnded, read() { proceed() }
        close()
    }

    /// The next message that has arrived as a whole.
    final func nextFrame() throws(VarlinkProtocolError) -> ArraySlice<UInt8>? {
        do throws(VarlinkFrameReader.TooLarge) {
            return try frames.next()
        } catch {
            throw .tooLarge(error.limit)
        }
    }

    // Output

    /// Queues a message for the end of the turn.
    final func queue(_ message: EncodedMessage) {
        guard !isClosed, failure == nil else { return }
        output.append(message)
        guard !isBlocked else { return }
        if output.count >= writer.vectors.count || output.byteCount > Self.patience { write() } else { needsTurn() }
    }

    /// Writes messages that nobody has to wait for; what the kernel does not take is queued. Answers false, and does
    /// nothing, when others wait already.
    final func writeThrough(_ batch: ReplyBatch) -> Bool {
        guard !isClosed, failure == nil else { return true }
        guard output.count == 0, !isBlocked else { return false }
        let result = batch.write { transmit($0, 1) }
        if result == batch.byteCount {
            output.countWritten(batch.count, last: batch.last)
            recordPosition()
            return true
        }
        guard result >= 0 || errno == EAGAIN || errno == EINTR else {
            fail(SystemError.last(verb: "write to", object: "socket"))
            return true
        }
        for message in batch.messages(sharedWith: &writer.waiting, countedIn: writer.shared) { output.append(message) }
        output.consume(max(result, 0))
        recordPosition()
        isBlocked = true
        watch()
        return true
    }

    /// Whether nothing waits and the kernel has room for more. If it has not, `proceed` is called when it has.
    final func hasRoom() -> Bool {
        guard output.count == 0, !isBlocked, !isClosed else { return false }
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&state, 1, 0) == 0 else { return true }
        isBlocked = true
        watch()
        return false
    }

    /// Has `turnEnds` called.
    final func needsTurn() {
        guard !isDirty, !isClosed else { return }
        isDirty = true
        writer.add(self)
    }

    /// The turn ends: first all streams write, then each may go on.
    final func writeTurn() {
        isDirty = false
        if !isClosed, !isBlocked { write() }
    }

    final func turnEnds() {
        guard !isClosed else { return }
        if let failure { hungUp(failure) } else { proceed() }
    }

    /// Writing is of no use any more. Dealt with in a turn of its own, as this may be in the middle of a call.
    private final func fail(_ error: SystemError) {
        failure = error.code == EPIPE || error.code == ECONNRESET ? .peerGone : .failed(error)
        output.removeAll()
        isBlocked = false
        watch()
        needsTurn()
    }

    /// Drops queued messages from number `first` on, except one that was partly written. Answers how many.
    @discardableResult
    final func dropQueue(from first: UInt64) -> Int {
        output.remove(from: first)
    }

    private final func recordPosition() {
        guard let recorder else { return }
        let (number, bytes) = output.position
        recorder.record(bytes, of: number)
    }

    /// Queues a message of which the first bytes were written before.
    final func queue(_ message: EncodedMessage, written: Int) {
        output.append(message)
        output.consume(written)
        needsTurn()
    }

    /// Writes what is queued until the kernel's buffer is full.
    final func write() {
        isBlocked = false
        while output.count > 0, !isBlocked {
            let (parts, bytes) = output.fill(writer.vectors)
            let result = transmit(writer.vectors.baseAddress, parts)
            if result < 0, errno == EINTR { continue }
            guard result >= 0 || errno == EAGAIN else {
                return fail(SystemError.last(verb: "write to", object: "socket"))
            }
            output.consume(max(result, 0))
            recordPosition()
            isBlocked = result < bytes
        }
        watch()
    }

    private final func transmit(_ parts: UnsafeMutablePointer<iovec>?, _ count: Int) -> Int {
        if let recorder { return recorder.send(descriptor, parts, count) }
        if count == 1, let part = parts?.pointee {
            return send(descriptor, part.iov_base, part.iov_len, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        var message = msghdr()
        message.msg_iov = parts
        message.msg_iovlen = count
        return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }

    private final func watch() {
        var events: DescriptorEvents = []
        if takesInput, !inputEnded { events.insert(.readable) }
        if isBlocked { events.insert(.writable) }
        guard events != watched else { return }
        watched = events
        if let member { writer.streams.set(events, of: member, descriptor) }
    }

    /// Gives the socket away, with what was read of it and not understood. Nothing is called afterwards.
    final func release() -> VarlinkUpgradedConnection {
        if let member { writer.streams.remove(member, descriptor) }
        member = nil
        defer { descriptor = -1 }
        return VarlinkUpgradedConnection(descriptor: descriptor, received: frames.takeAll())
    }

    /// Closes the socket; what is still queued is lost. Nothing is called afterwards.
    func close() { shut() }

    private final func shut() {
        guard !isClosed else { return }
        if let member { writer.streams.remove(member, descriptor) }
        member = nil
        Glibc.close(descriptor)
        descriptor = -1
        output.removeAll()
    }
}
