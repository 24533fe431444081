// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// Sends the same replies to many clients. The replies of one turn of the loop are put together once, and written to each
/// client with one system call.
///
/// A request is a member until its last reply, until its client goes away, or until it is removed. A reply to one
/// member alone is sent in order with the replies to all.
@MainActor  // in words, as in MainEventLoop
public final class VarlinkBroadcast {
    /// How much a turn gathers before it is written, without waiting for the end of the turn.
    private static let gathered = (replies: 256, bytes: 256 << 10)

    /// How many replies may wait for a client that does not read.
    public var limit: Int
    /// How many bytes may wait for a client that does not read. A single reply may be longer.
    public var byteLimit: Int

    private let writer: TurnWriter
    private let onOverrun: (_ request: VarlinkRequest, _ dropped: Int) -> Void
    private let onRemoval: () -> Void
    /// The members.
    @exclusivity(unchecked)  // nothing calls out while these are changed
    package private(set) var requests: [VarlinkRequest] = []
    /// The place in `requests` of each connection's request.
    private var places: [ObjectIdentifier: Int] = [:]
    /// The replies of this turn so far.
    @exclusivity(unchecked)  // as above
    private var pending: ReplyBatch?

    /// A broadcast without members.
    ///
    /// - Parameters:
    ///   - server: the server of the requests.
    ///   - limit: how many replies may wait for a client that does not read.
    ///   - byteLimit: how many bytes may wait for it.
    ///   - onOverrun: called when more replies wait for a member than the limits allow, with their number. They are
    ///     dropped, and the request is removed from the broadcast. The request still expects its last reply.
    public convenience init(
        on server: VarlinkServer, limit: Int, byteLimit: Int = .max,
        onOverrun: @escaping (_ request: VarlinkRequest, _ dropped: Int) -> Void
    ) {
        self.init(on: server, limit: limit, byteLimit: byteLimit, onRemoval: {}, onOverrun: onOverrun)
    }

    /// The same, with `onRemoval` called after each request that is removed, for any reason.
    package init(
        on server: VarlinkServer, limit: Int, byteLimit: Int, onRemoval: @escaping () -> Void,
        onOverrun: @escaping (_ request: VarlinkRequest, _ dropped: Int) -> Void
    ) {
        writer = server.writer
        self.limit = limit
        self.byteLimit = byteLimit
        self.onRemoval = onRemoval
        self.onOverrun = onOverrun
    }

    /// How many members there are.
    public var count: Int { requests.count }

    /// Adds a request, which gets all replies that are sent from now on. It must have the flag `more`.
    ///
    /// - Returns: whether it was added. A request that is not active is not added, nor a second request of the same
    ///   connection.
    @discardableResult
    public func add(_ request: VarlinkRequest) -> Bool {
        precondition(request.wantsMore, "a call without 'more' takes one reply")
        guard request.isActive, places[ObjectIdentifier(request.connection)] == nil else { return false }
        flush()
        places[ObjectIdentifier(request.connection)] = requests.count
        requests.append(request)
        request.connection[request.number]?.broadcast = self
        return true
    }

    /// Removes a request. It still gets the replies that were sent before.
    public func remove(_ request: VarlinkRequest) {
        flush()
        remove(request.connection)
    }

    func remove(_ connection: ServerConnection) {
        guard let place = places.removeValue(forKey: ObjectIdentifier(connection)) else { return }
        connection[requests[place].number]?.broadcast = nil
        let last = requests.removeLast()
        if place < requests.count {
            requests[place] = last
            places[ObjectIdentifier(last.connection)] = place
        }
        onRemoval()
    }

    /// Sends a reply to all members. It must have `continues`.
    public func send(_ reply: VarlinkEncodedReply) { send(reply.bytes, number: 0) }

    /// Sends one of several replies, as it is on the wire, to all members. Numbers increase.
    package func send(_ reply: UnsafeRawBufferPointer, number: UInt64) {
        guard !requests.isEmpty else { return }
        let batch = pending ?? begin()
        batch.append(reply, number: number)
        if batch.count >= Self.gathered.replies || batch.byteCount >= Self.gathered.bytes { flush() }
    }

    private func begin() -> ReplyBatch {
        let batch = writer.borrowBatch()
        pending = batch
        writer.add(self)
        return batch
    }

    /// Writes the replies of this turn so far.
    package func flush() {
        guard let batch = pending else { return }
        pending = nil
        defer { writer.returnBatch(batch) }
        let (limit, byteLimit) = (limit, byteLimit)
        batch.withBytes { bytes in
            for request in requests {
                let connection = request.connection
                connection.share(batch, bytes)
                let queued = connection.queued
                if queued > limit || (queued > 1 && connection.queuedBytes > byteLimit) { overrun(request) }
            }
        }
    }

    /// Removes a client that holds too much.
    func overrun(_ connection: ServerConnection) {
        flush()
        if let place = places[ObjectIdentifier(connection)] { overrun(requests[place]) }
    }

    private func overrun(_ request: VarlinkRequest) {
        remove(request.connection)
        onOverrun(request, request.dropQueuedReplies())
    }
}

/// The messages of a broadcast in one turn, one after the other in one piece of memory. All are written to a client at once,
/// and a message is allocated only if it has to wait for some client.
final class ReplyBatch {
    // Nothing calls out while these are changed.
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    @exclusivity(unchecked) private var ends: [(place: Int, number: UInt64)] = []
    /// The messages one by one, made when the first client has to wait.
    private var shared: [EncodedMessage] = []

    /// Larger memory is freed after the turn.
    private static let keptCapacity = 64 << 10

    /// How many messages.
    var count: Int { ends.count }
    /// Their bytes.
    var byteCount: Int { bytes.count }

    /// Adds a message.
    func append(_ message: UnsafeRawBufferPointer, number: UInt64) {
        bytes.append(contentsOf: message)
        ends.append((bytes.count, number))
    }

    /// Removes all messages.
    func removeAll() {
        shared = []
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
        ends.removeAll(keepingCapacity: true)
    }

    /// The messages one by one, in shared memory. A message that another broadcast has in this turn is not copied again.
    func messages(sharedBy writer: TurnWriter) -> [EncodedMessage] {
        guard shared.isEmpty else { return shared }
        shared.reserveCapacity(ends.count)
        var start = 0
        for end in ends {
            if end.number > 0, let known = writer.waiting[end.number] {
                shared.append(known)
            } else {
                let message = bytes.withUnsafeBytes {
                    EncodedMessage(.init(rebasing: $0[start..<end.place]), countedIn: writer.shared)
                }
                shared.append(message)
                if end.number > 0 { writer.waiting[end.number] = message }
            }
            start = end.place
        }
        return shared
    }

    /// Calls `body` with all messages as they are written.
    func withBytes(_ body: (iovec) -> Void) {
        bytes.withUnsafeMutableBytes { body(iovec(iov_base: $0.baseAddress, iov_len: $0.count)) }
    }
}
