// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// One connected socket: splits what arrives into frames, and writes queued messages in batches. Both ends of a Varlink
/// connection derive from it.
@MainActor  // see MainEventLoop
class FrameStream {
    /// Why a stream ended.
    enum End {
        case peerGone
        case failed(SystemError)
    }

    /// More queued bytes are written without waiting for the end of the turn.
    private static let flushThreshold = 1 << 20
    /// How often one stream is written to before others have their turn, as a quick reader makes room all the time.
    private static let mostWrites = 16

    final let writer: TurnWriter
    @exclusivity(unchecked)  // nothing calls out while it is changed
    final var frames: VarlinkFrameReader
    private(set) final var descriptor: Int32
    private final var member: DescriptorGroup.Member?
    private final var watched: DescriptorEvents = .readable

    @exclusivity(unchecked)  // nothing calls out while it is changed
    private final var output = MessageQueue()
    private final var isDirty = false
    private(set) final var isWriting = false
    /// Whether `advance` is called at the end of the turn.
    final var continues = false
    /// The turn in which the last call began; 0 for none.
    final var lastTurn: UInt64 = 0
    private final var isBlocked = false

    /// Whether the peer has ended its output.
    private(set) final var inputEnded = false
    /// Whether input is read, or stays in the kernel.
    final var readsInput = true { didSet { if readsInput != oldValue { watch() } } }

    private final var failure: End?
    /// Whether nothing can be written any more.
    final var hasFailed: Bool { failure != nil }
    /// Whether what was received before the failure is being handled.
    private final var isEnding = false
    private final var isAdvancing = false

    /// Makes a stream that owns the descriptor.
    init(_ descriptor: Int32, frameLimit: Int, writer: TurnWriter) {
        self.descriptor = descriptor
        self.writer = writer
        frames = VarlinkFrameReader(limit: frameLimit)
    }

    /// Has system calls on a socket return at once.
    static func makeNonblocking(_ descriptor: Int32, verb: String) throws(SystemError) {
        guard fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) < 0 else { return }
        throw .last(verb: verb, object: "descriptor \(descriptor)")
    }

    /// Begins to read.
    final func start() throws(SystemError) {
        member = try writer.streams.add(descriptor, .readable) { [unowned self] in ready($0) }
    }

    isolated deinit { shut() }

    final var isClosed: Bool { descriptor < 0 }

    /// Messages that wait to be written.
    final var queued: Int { output.count }

    /// The one that is shared with other streams, and how much of it waits.
    final var shared: (message: EncodedMessage, rest: Int)? { output.shared }

    /// Their bytes.
    final var queuedBytes: Int { output.byteCount }

    // To be overridden.

    /// Called when frames may have arrived, the queue may have room, or the input has ended.
    func advance() {}

    /// The turn in which the last call of its user began, on whichever stream; 0 for none.
    var lastTurnOfUser: UInt64 { 0 }

    /// Called when nothing is queued and the kernel has room. Returns what is written next, if there is something; what
    /// it queues is written too.
    func drained() -> EncodedMessage? { nil }

    /// Whether `advance` is to be called again in the next turn, although nothing happens until then.
    var isPostponed: Bool { false }

    /// Called when the peer is gone or the stream failed. What was received is still handled; then the stream is
    /// closed.
    func ended(_ end: End) {}

    // Input

    /// Does nothing in the middle of `advance`, where a handler may have flushed what is queued.
    final func proceed() {
        guard !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        advance()
    }

    private final func ready(_ events: DescriptorEvents) {
        writer.isServing = true
        if events.contains(.writable) {
            write()
            if !isClosed { proceed() }
        }
        if !isClosed, events.contains(.readable), readsInput, !inputEnded {
            read()
            if !isClosed { proceed() }
        }
        if !isClosed, events.contains(.hangUp) || events.contains(.error) { hungUp(.peerGone) }
    }

    /// Reads once, so that a peer that never pauses does not block others. Returns whether there may be more.
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

    /// The peer does not read any more. What it sent before is still handled.
    private final func hungUp(_ end: End) {
        guard !isClosed else { return }
        if isEnding {
            proceed()
        } else {
            isEnding = true
            failure = end
            output.removeAll()
            // The kernel would report it again and again.
            unwatch()
            ended(end)
        }
        while !isClosed, !isPostponed, !inputEnded, read() { proceed() }
        if !isPostponed { close() }
    }

    // Output

    /// Queues a message for the end of the turn.
    final func queue(_ message: EncodedMessage) {
        guard !isClosed, failure == nil else { return }
        output.append(message)
        guard !isBlocked, !isWriting else { return }
        if output.count >= writer.vectors.count || output.byteCount > Self.flushThreshold {
            write()
        } else {
            needsTurn()
        }
    }

    /// Has `drained` called at the end of the turn, or when the kernel has room.
    final func wake() {
        guard !isDirty, !isBlocked, !isClosed else { return }
        isDirty = true
        writer.add(self)
    }

    /// Has `writeTurn` and `turnEnds` called at the end of the turn.
    final func needsTurn() {
        continues = true
        guard !isDirty, !isClosed else { return }
        isDirty = true
        writer.add(self)
    }

    /// Writes at the end of the turn. When all streams have done so, `turnEnds` is called on each. Returns whether
    /// something waits, which is counted.
    final func writeTurn() -> Bool {
        isDirty = false
        guard !isClosed, !isBlocked, !isWriting else { return false }
        write()
        return output.count > 0
    }

    final func turnEnds() {
        guard !isClosed else { return }
        guard let failure else { return proceed() }
        // A handler may have flushed. What was received behind its message comes first.
        if isAdvancing { needsTurn() } else { hungUp(failure) }
    }

    /// Writing has failed. The stream is closed at the end of the turn, as this may be in the middle of a call.
    private final func fail(_ error: SystemError) {
        failure = error.code == EPIPE || error.code == ECONNRESET ? .peerGone : .failed(error)
        output.removeAll()
        isBlocked = false
        watch()
        needsTurn()
    }

    /// Writes what is queued, and what `drained` queues then, until the kernel's buffer is full.
    final func write() {
        isBlocked = false
        isWriting = true
        defer {
            isWriting = false
            watch()
        }
        for _ in 0..<Self.mostWrites {
            if output.count == 0, failure == nil, let next = drained() { output.append(next) }
            guard output.count > 0 else { return }
            let (parts, bytes) = output.fill(writer.vectors)
            let result = transmit(writer.vectors.baseAddress, parts)
            if result < 0, errno == EINTR { continue }
            guard result >= 0 || errno == EAGAIN else {
                return fail(SystemError.last(verb: "write to", object: "socket"))
            }
            output.consume(max(result, 0))
            isBlocked = result < bytes
            if isBlocked { return }
        }
        // And not only `wake`: calls may wait for what is left to be written.
        needsTurn()
    }

    /// Writes without waiting. That the kernel lacks memory at the moment is `EAGAIN` too: the client loses no
    /// connection by it.
    private final func transmit(_ parts: UnsafeMutablePointer<iovec>?, _ count: Int) -> Int {
        let result = transmitOnce(parts, count)
        if result < 0, errno == ENOBUFS || errno == ENOMEM { errno = EAGAIN }
        return result
    }

    private final func transmitOnce(_ parts: UnsafeMutablePointer<iovec>?, _ count: Int) -> Int {
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
        if readsInput, !inputEnded { events.insert(.readable) }
        if isBlocked { events.insert(.writable) }
        guard events != watched else { return }
        watched = events
        guard let member else { return }
        do throws(SystemError) {
            try writer.streams.set(events, of: member, descriptor)
        } catch {
            // It would wait for ever.
            unwatch()
            fail(error)
        }
    }

    private final func unwatch() {
        if let member { writer.streams.remove(member, descriptor) }
        member = nil
    }

    /// Closes the socket; what is queued is lost. Nothing is called afterwards.
    func close() { shut() }

    private final func shut() {
        guard !isClosed else { return }
        unwatch()
        Glibc.close(descriptor)
        descriptor = -1
        output.removeAll()
        // A closed stream may exist until the next turn, and what it holds is not counted any more.
        frames = VarlinkFrameReader(limit: frames.limit)
    }
}
