// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A call that waits for a reply. Reply at once, or store the request and reply later. If the request is released
/// without a reply, the client gets an error.
///
/// The request ends when the client disconnects. Replies after that, or after the last reply, are ignored.
@MainActor  // see MainEventLoop
package final class VarlinkRequest {
    private var call: VarlinkCall
    /// The size of the message, in bytes.
    package let byteCount: Int
    private var unanswered: UnansweredCall?
    let number: UInt64
    let connection: VarlinkConnection

    init(_ call: VarlinkCall, size: Int, number: UInt64, on connection: VarlinkConnection) {
        self.call = call
        byteCount = size
        self.number = number
        self.connection = connection
    }

    /// The fully-qualified method.
    package var method: String { call.method }
    /// The parameters. They match the method's declaration; otherwise the server has refused the call.
    package var parameters: JSONObject { call.parameters }
    /// Whether the client takes more than one reply.
    package var wantsMore: Bool { call.mode == .more }
    /// Whether the client expects no reply. Reply nevertheless: this ends the call and sends nothing.
    package var isOneway: Bool { call.mode == .oneway }
    /// Whether the client wants to use another protocol after the reply.
    var wantsUpgrade: Bool { call.mode == .upgrade }

    /// Prepares for an answer after the method has returned. Returns how many bytes are kept until then.
    func answerLater() -> Int {
        unanswered = UnansweredCall(number, method, on: connection)
        return call.keep()
    }

    // One is made for every call, and an isolated deinit would look for the actor first.
    nonisolated deinit {}

    /// The process that called.
    package var peer: VarlinkPeer { connection.peer }
    /// A value that a method stores with the connection, for later calls of the same client.
    package var attachment: (any Sendable)? {
        get { connection.attachment }
        set { connection.attachment = newValue }
    }

    /// Whether the call still expects a reply: the client is connected, and the last reply was not sent.
    package var isActive: Bool { connection[number] != nil }

    /// Replies that wait to be sent to the client, those to earlier calls included.
    package var queuedReplies: Int { connection.queued }

    /// The size of these replies in bytes.
    package var queuedBytes: Int { connection.queuedBytes }

    /// Called when the client disconnects before the last reply. Not called for a request that has ended.
    package var onCancel: (() -> Void)? {
        get { connection[number]?.onCancel }
        set { connection[number]?.onCancel = newValue }
    }

    /// Called whenever nothing waits to be sent to the client and the kernel has room. It returns one of several
    /// replies, which comes next, or sends some, or has nothing for now. Not called for a request that has ended.
    package var onDrained: (@MainActor () -> VarlinkEncodedReply?)? {
        get { connection[number]?.onDrained }
        set { connection[number]?.onDrained = newValue }
    }

    /// Has `onDrained` called soon, as there is something to supply.
    package func wake() { connection.wake() }

    /// Sends the last reply. The parameters are not evaluated when no reply is expected.
    package func reply(_ parameters: @autoclosure () -> JSONObject = [:]) {
        connection.reply(number, VarlinkEncodedReply(VarlinkReply(parameters())), continues: false)
    }

    /// Sends a reply. If `continues` is true, more replies follow; this is only for a call with `more`, and any other
    /// call ends with the error `ExpectedMore`.
    package func reply(_ parameters: JSONObject, continues: Bool) {
        send(VarlinkEncodedReply(VarlinkReply(parameters, continues: continues)))
    }

    /// Sends a reply that was encoded once for many clients, as `reply(_:continues:)` does.
    package func send(_ reply: VarlinkEncodedReply) {
        guard wantsMore || isOneway || !reply.continues else { return fail(.expectedMore) }
        connection.reply(number, reply, continues: reply.continues)
    }

    /// Ends the call with an error, by its fully-qualified name.
    package func fail(_ error: String, _ parameters: JSONObject = [:]) {
        connection.reply(number, VarlinkEncodedReply(VarlinkReply(error: error, parameters)), continues: false)
    }

    /// Ends the call with one of the errors that every service has.
    package func fail(_ error: VarlinkServiceError) { fail(error.name, error.parameters) }
}

/// Answers a call with an error when its request goes without an answer.
///
/// It is made only for a request that is kept to be answered later: an isolated deinit takes longer than most calls.
@MainActor  // see MainEventLoop
final class UnansweredCall {
    private let number: UInt64
    private let method: String
    private let connection: VarlinkConnection

    init(_ number: UInt64, _ method: String, on connection: VarlinkConnection) {
        self.number = number
        self.method = method
        self.connection = connection
    }

    isolated deinit { connection.unanswered(number, method: method) }
}
