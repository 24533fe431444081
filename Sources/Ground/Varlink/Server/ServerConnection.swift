// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry

/// The server's end of a connection: answers calls one after the other, in order.
final class ServerConnection: FrameStream {
    let peer: VarlinkPeer
    /// What a method has stored with the connection.
    var attachment: (any AnyObject & Sendable)?
    /// Nil when the connection is closed or handed over. Not weak, as weak references make every access to the server slow.
    unowned var server: VarlinkServer?
    // Copied from the server's limits, because every reply asks for them.
    private var maximumBytes: Int
    private var maximumReplies: Int

    private var calls: UInt64 = 0
    /// The number of the call that is being answered, counted from 1; 0 when there is none.
    @exclusivity(unchecked)  // nothing calls out while it is changed
    private var current: UInt64 = 0
    private var isOneway = false
    private var isUpgrading = false
    /// The number, in the stream, of the first reply to it.
    private var firstReply: UInt64 = 0
    private var onCancel: (() -> Void)?
    private var onDrained: (() -> Void)?
    /// The broadcast that the request being answered is a member of.
    var broadcast: VarlinkBroadcast?

    let user: ServerUser
    /// Bytes of this connection that are counted for its user.
    var heldBytes = 0
    /// Bytes of messages that wait here and for other clients.
    var heldSharedBytes = 0
    /// Bytes of the call that waits for an answer, as it came.
    var pendingBytes = 0
    /// The turn in which calls were postponed to the next one, because the user's time was spent; 0 for none.
    private var postponedTurn: UInt64 = 0
    private var isPostponed: Bool { postponedTurn == writer.turn }
    private var isProceeding = false
    private var isPeerGone = false
    /// Gets the connection when everything has been written.
    private var successor: ((VarlinkUpgradedConnection) -> Void)?

    init(_ descriptor: Int32, peer: VarlinkPeer, server: VarlinkServer) {
        self.peer = peer
        user = server.users.user(peer.uid)
        self.server = server
        maximumBytes = server.limits.queuedBytes
        maximumReplies = server.limits.queuedReplies
        super.init(descriptor, frameLimit: server.limits.messageSize, writer: server.writer)
    }

    /// Applies changed limits of the server.
    func apply(_ limits: VarlinkLimits) {
        maximumBytes = limits.queuedBytes
        maximumReplies = limits.queuedReplies
        frames.limit = limits.messageSize
    }

    // The stream

    override func proceed() {
        guard !isProceeding, let server else { return }
        if let drained = onDrained, hasRoom() {
            onDrained = nil
            drained()
        }
        isProceeding = true
        defer { isProceeding = false }
        if successor != nil { return handOver(server) }
        do throws(VarlinkProtocolError) {
            try readCalls(server)
        } catch {
            return violation(error, server)
        }
        guard !isClosed, !isUpgrading else { return }
        let isWhole = frames.containsFrame()
        if frames.isOverlong { return violation(.tooLarge(frames.limit), server) }
        frames.release()
        count()
        guard !isClosed else { return }
        readsInput = !isPostponed && (isReadyForCall(server.limits) || !isWhole)
        if inputEnded, current == 0, !isPeerGone { finishInput(server) }
    }

    /// Begins the calls that have arrived, as long as the user has time in this turn.
    private func readCalls(_ server: VarlinkServer) throws(VarlinkProtocolError) {
        var since: MonotonicInstant?
        while !isClosed, isReadyForCall(server.limits) {
            guard user.hasTime(in: writer.turn) else { return postpone() }
            guard let frame = try nextFrame() else { return }
            let began = since ?? .now
            lastTurn = writer.turn
            begin(try VarlinkCall(message: frame), size: frame.count, server)
            let now = MonotonicInstant.now
            user.spend(now.microseconds(since: began))
            since = now
        }
    }

    private func postpone() {
        guard !isPostponed else { return }
        postponedTurn = writer.turn
        writer.postpone(self)
    }

    /// Closes the connection after what is queued was written as far as possible.
    private func violation(_ error: VarlinkProtocolError, _ server: VarlinkServer) {
        server.report(.protocolViolation(error), peer)
        write()
        close()
    }

    private func isReadyForCall(_ limits: VarlinkLimits) -> Bool {
        current == 0 && (isPeerGone || queuedBytes <= limits.unreadBytes)
    }

    private func begin(_ call: VarlinkCall, size: Int, _ server: VarlinkServer) {
        calls += 1
        current = calls
        isOneway = call.mode == .oneway
        // What follows this call belongs to another protocol and must not be read.
        isUpgrading = call.mode == .upgrade
        if isUpgrading { readsInput = false }
        firstReply = sent + UInt64(queued)
        var request = VarlinkRequest(call, size: size, number: calls, on: self)
        server.dispatch(request)
        if isKnownUniquelyReferenced(&request) {
            unanswered(request.number, method: request.method)
        } else {
            request.answerLater()
            if current == calls { pendingBytes = size }
        }
        if isPeerGone { cancelCurrent() }
    }

    /// Closes the connection of a client that sends no more, once it has its replies.
    private func finishInput(_ server: VarlinkServer) {
        guard !frames.containsFrame() else { return }
        if frames.pendingBytes > 0 {
            violation(.truncated, server)
        } else if queued == 0 {
            close()
        }
    }

    override func ended(_ end: End) {
        isPeerGone = true
        if case .failed(let error) = end { server?.report(.system(error), peer) }
        cancelCurrent()
        proceed()
    }

    override func close() {
        guard !isClosed else { return }
        super.close()
        cancelCurrent()
        count()
        server?.forget(self)
        server = nil
    }

    /// The server is being freed and must not be used any more.
    func serverEnded() { server = nil }

    private func cancelCurrent() {
        current = 0
        pendingBytes = 0
        broadcast?.remove(self)
        successor = nil
        let onCancel = onCancel
        self.onCancel = nil
        onDrained = nil
        onCancel?()
    }

    // Called by a request. A call that is over has another number than `current`.

    func isActive(_ number: UInt64) -> Bool { current == number }

    func cancelHandler(_ number: UInt64) -> (() -> Void)? { isActive(number) ? onCancel : nil }

    func setCancel(_ number: UInt64, _ handler: (() -> Void)?) {
        if isActive(number) { onCancel = handler }
    }

    func whenDrained(_ number: UInt64, _ handler: @escaping () -> Void) {
        guard isActive(number) else { return }
        if hasRoom() { handler() } else { onDrained = handler }
    }

    func reply(_ number: UInt64, _ reply: @autoclosure () -> VarlinkEncodedReply, continues: Bool) {
        guard isActive(number) else { return }
        broadcast?.flush()
        if !isOneway { enqueue(reply().message) }
        if !continues { finish(number) }
    }

    func dropReplies(_ number: UInt64) -> Int {
        isActive(number) ? dropQueue(from: firstReply) : 0
    }

    func unanswered(_ number: UInt64, method: String) {
        guard isActive(number), successor == nil else { return }
        server?.report(.unanswered(method: method), peer)
        reply(number, VarlinkEncodedReply(ServiceInterface.internalError), continues: false)
    }

    /// Sends the last reply, and hands the connection over once it is written.
    func upgrade(
        _ number: UInt64, _ reply: VarlinkEncodedReply, _ successor: @escaping (VarlinkUpgradedConnection) -> Void
    ) {
        guard isActive(number), self.successor == nil else { return }
        self.successor = successor
        enqueue(reply.message)
    }

    private func handOver(_ server: VarlinkServer) {
        guard queued == 0, let successor else { return }
        self.successor = nil
        onCancel = nil
        current = 0
        let connection = release()
        count()
        server.forget(self)
        self.server = nil
        successor(connection)
    }

    private func finish(_ number: UInt64) {
        guard isActive(number) else { return }
        current = 0
        pendingBytes = 0
        broadcast?.remove(self)
        isUpgrading = false
        onCancel = nil
        onDrained = nil
        if !isProceeding { needsTurn() }
    }

    /// Sends messages that other clients get too.
    func share(_ batch: ReplyBatch, _ bytes: iovec) {
        if writeThrough(batch, bytes) { return keepWithinLimits() }
        for message in batch.messages(sharedBy: writer) { enqueue(message) }
    }

    private func enqueue(_ message: EncodedMessage) {
        queue(message)
        keepWithinLimits()
    }

    private func keepWithinLimits() {
        count()
        guard (queued > 1 && queuedBytes > maximumBytes) || queued > maximumReplies, !isClosed else { return }
        server?.report(.queueOverflow(bytes: queuedBytes, replies: queued), peer)
        close()
    }
}
