// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A call that is to be answered, at once or later, exactly once: keep the request for as long as that takes. If the
/// last reference to it goes without an answer, the client gets an error instead of waiting forever.
///
/// When the client goes away the request is over: what is sent after that, or after the last reply, goes nowhere.
@MainActor  // in words, as in MainEventLoop
public final class VarlinkRequest {
    /// The fully-qualified method.
    public let method: String
    /// The parameters. They match the method's declaration: the server has refused the call otherwise.
    public let parameters: JSONObject
    /// Whether the client takes more than one reply.
    public let wantsMore: Bool
    /// Whether the client takes no reply at all. Reply all the same: it ends the call and sends nothing.
    public let isOneway: Bool
    /// Whether the client wants another protocol after the reply.
    public let wantsUpgrade: Bool
    /// Header fields of vendors.
    public let extensions: JSONObject

    /// The size of the message, in bytes.
    package let byteCount: Int
    private var owed: UnansweredCall?
    let number: UInt64
    let connection: ServerConnection

    init(_ call: VarlinkCall, size: Int, number: UInt64, on connection: ServerConnection) {
        byteCount = size
        method = call.method
        parameters = call.parameters
        wantsMore = call.mode == .more
        isOneway = call.mode == .oneway
        wantsUpgrade = call.mode == .upgrade
        extensions = call.extensions
        self.number = number
        self.connection = connection
    }

    /// The call has been handed on, and somebody keeps it to answer it later.
    func keep() { owed = UnansweredCall(number, method, on: connection) }

    // Made and dropped for every call: an end on the main actor would look for the actor first.
    nonisolated deinit {}

    /// Who called.
    public var peer: VarlinkPeer { connection.peer }
    /// The client's socket, which stays the server's; -1 when it is closed.
    package var descriptor: Int32 { connection.descriptor }
    /// An object that a method wants to keep with the connection, for later calls of the same client.
    public var attachment: (any AnyObject & Sendable)? {
        get { connection.attachment }
        set { connection.attachment = newValue }
    }

    /// Whether the call still wants an answer: the client is there and the last reply was not given.
    public var isActive: Bool { connection.isActive(number) }

    /// Replies that wait to be sent to the client, those to earlier calls included.
    public var queuedReplies: Int { connection.queued }

    /// The size of these replies in bytes.
    public var queuedBytes: Int { connection.queuedBytes }

    /// Called when the client goes away before the last reply. Not called for a request that is over.
    public var onCancel: (() -> Void)? {
        get { connection.cancelHandler(number) }
        set { connection.setCancel(number, newValue) }
    }

    /// Has `handler` called once when nothing waits for the client and the kernel has room for more. That may be now. Not for
    /// a request that is over.
    package func whenDrained(_ handler: @escaping () -> Void) { connection.whenDrained(number, handler) }

    /// Answers, for the last time. The parameters are not asked for when nobody takes them.
    public func reply(_ parameters: @autoclosure () -> JSONObject = [:]) {
        connection.reply(number, VarlinkEncodedReply(VarlinkReply(parameters())), continues: false)
    }

    /// Answers, and more replies follow when `continues` is true. Only for a call that wants more: another one gets
    /// the error `ExpectedMore` and is over.
    public func reply(_ parameters: JSONObject, continues: Bool) {
        send(VarlinkEncodedReply(VarlinkReply(parameters, continues: continues)))
    }

    /// Answers with bytes that were encoded once for many clients. As `reply(_:continues:)` otherwise.
    public func send(_ reply: VarlinkEncodedReply) {
        guard wantsMore || isOneway || !reply.continues else { return fail(.expectedMore) }
        connection.reply(number, reply, continues: reply.continues)
    }

    /// Answers with the rest of a reply, of which another process sent the first bytes.
    package func send(_ reply: VarlinkEncodedReply, written: Int) {
        guard isActive else { return }
        connection.queue(reply.message, written: written)
    }

    /// Closes the connection: what the client has got of a reply cannot be completed.
    package func closeConnection() {
        if isActive { connection.close() }
    }

    /// Has `recorder` write to the client until the last reply. Only replies with numbers may wait or follow. Input of the
    /// client stays in the kernel from now on.
    ///
    /// - Returns: false, and does nothing, when some of the input has been read already: it would be lost.
    package func record(with recorder: any VarlinkWriteRecorder) -> Bool {
        connection.record(number, with: recorder)
    }

    /// Answers, for the last time, and hands the connection over to another protocol. Only for a call that wants an
    /// upgrade: another one gets the error `ExpectedUpgrade`.
    ///
    /// - Parameter successor: called once when the reply is on its way. It owns the connection then. It is not called
    ///   when the client goes away before.
    public func upgrade(
        _ parameters: JSONObject = [:], _ successor: @escaping (VarlinkUpgradedConnection) -> Void
    ) {
        guard wantsUpgrade else { return fail(.expectedUpgrade) }
        connection.upgrade(number, VarlinkEncodedReply(VarlinkReply(parameters)), successor)
    }

    /// Answers with an error, fully-qualified, for the last time.
    public func fail(_ error: String, _ parameters: JSONObject = [:]) {
        connection.reply(number, VarlinkEncodedReply(VarlinkReply(error: error, parameters)), continues: false)
    }

    /// Answers with one of the errors that every service has, for the last time.
    public func fail(_ error: VarlinkServiceError) { fail(error.name, error.parameters) }

    /// Takes back the replies to this call of which nothing was written yet.
    ///
    /// - Returns: how many.
    @discardableResult
    public func dropQueuedReplies() -> Int { connection.dropReplies(number) }
}

/// What a request that is kept to be answered later owes: a client that waits is told when nobody will answer it.
///
/// Most requests are answered at once and owe nothing; to end on the main actor takes longer than to be answered.
@MainActor  // in words, as in MainEventLoop
final class UnansweredCall {
    private let number: UInt64
    private let method: String
    private let connection: ServerConnection

    init(_ number: UInt64, _ method: String, on connection: ServerConnection) {
        self.number = number
        self.method = method
        self.connection = connection
    }

    isolated deinit { connection.unanswered(number, method: method) }
}
