// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import CBelfry

/// The server's end of a connection: answers calls one after the other, in order.
final class VarlinkConnection: FrameStream {
    struct CurrentCall {
        let mode: VarlinkCall.Mode
        var onCancel: (() -> Void)?
        var onDrained: (@MainActor () -> VarlinkEncodedReply?)?
    }

    let peer: VarlinkPeer
    /// What the peer is to the server.
    let kind: ClientKind
    /// What a method has stored with the connection.
    var attachment: (any Sendable)?
    let user: ServerUser
    let users: ServerUsers
    private let interfaces: InterfaceTable

    /// The call that is being answered; nil when the next one may begin.
    @exclusivity(unchecked)  // nothing calls out while it is changed
    private(set) var call: CurrentCall?
    /// Calls since the beginning, which numbers them from 1.
    private var calls: UInt64 = 0
    /// How much of the call is kept to be answered later, in bytes. Not in the call, which every reply would copy to
    /// count it.
    private(set) var keptBytes = 0
    /// The memory that is counted for the user, in bytes.
    var held = 0
    /// What is counted once for all connections that share it.
    var heldMessage: EncodedMessage?
    /// The turn in which calls were postponed to the next one, because the user's time was spent; 0 for none.
    private var postponedTurn: UInt64 = 0
    /// A oneway call goes on when its client is gone, and those that have arrived behind it come after it.
    override var isPostponed: Bool { postponedTurn == writer.turn || (hasFailed && call?.mode == .oneway) }

    init(
        _ descriptor: Int32, peer: VarlinkPeer, _ kind: ClientKind, of users: ServerUsers,
        calling interfaces: InterfaceTable
    ) {
        self.peer = peer
        self.kind = kind
        self.users = users
        self.interfaces = interfaces
        user = users.user(peer.uid)
        super.init(descriptor, frameLimit: users.limits.messageSize, writer: users.writer)
    }

    // The stream

    override func advance() {
        do throws(VarlinkProtocolError) {
            try readCalls()
        } catch {
            return violation(error)
        }
        guard !isClosed else { return }
        let isWhole = frames.containsFrame()
        if frames.isOverlong { return violation(.tooLarge(frames.limit)) }
        frames.release()
        count()
        guard !isClosed else { return }
        readsInput = !isPostponed && (isReadyForCall || !isWhole)
        if inputEnded, call == nil, !hasFailed { finishInput() }
    }

    override var lastTurnOfUser: UInt64 { user.lastTurn }

    override func drained() -> EncodedMessage? { call?.onDrained?()?.message }

    /// Begins the calls that have arrived, as long as the user has time in this turn.
    private func readCalls() throws(VarlinkProtocolError) {
        var since: MonotonicInstant?
        while !isClosed, isReadyForCall {
            guard hasTime else { return postpone() }
            guard let frame = try frames.next() else { return }
            let began = since ?? .now
            lastTurn = writer.turn
            user.lastTurn = writer.turn
            begin(try VarlinkCall(message: frame), size: frame.count)
            let now = MonotonicInstant.now
            let spent = now.microseconds(since: began)
            user.share.spend(spent)
            if kind == .stranger { users.shareOfStrangers.spend(spent) }
            since = now
        }
    }

    private var hasTime: Bool {
        user.share.hasTime(in: writer.turn)
            && (kind != .stranger || users.shareOfStrangers.hasTime(in: writer.turn))
    }

    private func postpone() {
        guard !isPostponed else { return }
        postponedTurn = writer.turn
        writer.postpone(self)
    }

    /// Closes the connection after what is queued was written as far as possible.
    private func violation(_ error: VarlinkProtocolError) {
        users.report(.protocolViolation(error), peer)
        write()
        close()
    }

    private var isReadyForCall: Bool {
        call == nil && (hasFailed || queuedBytes <= users.limits.unreadBytes)
    }

    private func begin(_ call: VarlinkCall, size: Int) {
        calls += 1
        self.call = CurrentCall(mode: call.mode)
        var request = VarlinkRequest(call, size: size, number: calls, on: self)
        interfaces.dispatch(request)
        if isKnownUniquelyReferenced(&request) {
            unanswered(request.number, method: request.method)
        } else {
            let kept = request.answerLater()
            if self[request.number] != nil { keptBytes = kept }
        }
        if hasFailed { clientIsGone() }
    }

    /// Nobody waits for the reply any more. Nobody has waited for a oneway call, so nobody withdraws it.
    private func clientIsGone() { if call?.mode != .oneway { cancel() } }

    /// Closes the connection of a client that sends no more, once it has its replies.
    private func finishInput() {
        guard !frames.containsFrame() else { return }
        if frames.pendingBytes > 0 {
            violation(.truncated)
        } else if queued == 0 {
            close()
        }
    }

    override func ended(_ end: End) {
        if case .failed(let error) = end { users.report(.system(error), peer) }
        clientIsGone()
        proceed()
    }

    override func close() {
        guard !isClosed else { return }
        super.close()
        let ended = end()
        count()
        users.remove(self)
        // Last, since it may reply to others: the limits of the user must not find this connection any more.
        ended?.onCancel?()
    }

    // The call that is being answered

    /// The call with this number; nil when it is over.
    subscript(number: UInt64) -> CurrentCall? {
        get { number == calls ? call : nil }
        set { if let newValue { call = newValue } }
    }

    /// Ends the call, and answers which it was.
    @discardableResult
    private func end() -> CurrentCall? {
        defer {
            call = nil
            keptBytes = 0
        }
        return call
    }

    private func cancel() { end()?.onCancel?() }

    func reply(_ number: UInt64, _ reply: @autoclosure () -> VarlinkEncodedReply, continues: Bool) {
        // Without a copy of the call, whose closures would be retained.
        guard number == calls, let mode = call?.mode else { return }
        // So many replies may wait that they are written now, and nothing is supplied behind the last one.
        if !continues { call?.onDrained = nil }
        if mode != .oneway { enqueue(reply().message) }
        guard !continues, self[number] != nil else { return }
        end()
        needsTurn()
    }

    func unanswered(_ number: UInt64, method: String) {
        guard self[number] != nil else { return }
        users.report(.unanswered(method: method), peer)
        reply(number, VarlinkEncodedReply(ServiceInterface.internalError), continues: false)
    }

    private func enqueue(_ message: EncodedMessage) {
        queue(message)
        // What is being written is counted when it has to wait.
        if !isWriting { keepWithinLimits() }
    }

    private func keepWithinLimits() {
        count()
        let limits = users.limits
        let isOver = (queued > 1 && ownBytes > limits.queuedBytes) || queued > limits.queuedReplies
        guard isOver, !isClosed else { return }
        users.report(.queueOverflow(bytes: queuedBytes, replies: queued), peer)
        close()
    }
}
