// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// Replies that go to many clients alike. What one turn of the loop brings is put together once, and written to each of
/// them with one system call.
///
/// A request takes part until its last reply, until its client goes away, or until it is removed. What is sent to it
/// alone meanwhile keeps its place among what is sent to all.
@MainActor  // in words, as in MainEventLoop
public final class VarlinkBroadcast {
    /// How much a turn gathers before it is written without waiting for the end of the turn.
    private static let gathered = (replies: 256, bytes: 256 << 10)

    /// How many replies may wait for a client that does not read.
    public var limit: Int
    /// How many bytes may wait for a client that does not read. A single reply may be longer.
    public var byteLimit: Int
    /// Called with a request for which more than that wait, and how many they are: they are taken back, and the request
    /// takes no part any more. It still wants its last reply.
    public var onOverrun: ((_ request: VarlinkRequest, _ dropped: Int) -> Void)?

    /// Called with a request that takes part no more, for whatever reason.
    package var onRemoval: ((_ request: VarlinkRequest) -> Void)?

    private let writer: TurnWriter
    /// Those that take part.
    @exclusivity(unchecked)  // nothing calls out while these are changed
    package private(set) var requests: [VarlinkRequest] = []
    /// Where in `requests` that of a connection is.
    private var places: [ObjectIdentifier: Int] = [:]
    /// What this turn has brought so far.
    @exclusivity(unchecked)  // as above
    private var pending: ReplyBatch?

    /// A broadcast to clients of `server`, to none of them yet.
    public init(on server: VarlinkServer, limit: Int, byteLimit: Int = .max) {
        writer = server.writer
        self.limit = limit
        self.byteLimit = byteLimit
    }

    /// Whether this turn has brought something.
    package var isGathering: Bool { pending != nil }

    /// How many take part.
    public var count: Int { requests.count }

    /// Adds a request to those that get what is sent from now on. It must want more.
    ///
    /// - Returns: whether it was added. One that is not active, or of a connection that takes part already, is not.
    @discardableResult
    public func add(_ request: VarlinkRequest) -> Bool {
        precondition(request.wantsMore, "a call without 'more' takes one reply")
        guard request.isActive, places[ObjectIdentifier(request.connection)] == nil else { return false }
        flush()
        places[ObjectIdentifier(request.connection)] = requests.count
        requests.append(request)
        request.connection.broadcast = self
        return true
    }

    /// Has a request take part no more. What was sent before still reaches it.
    public func remove(_ request: VarlinkRequest) {
        flush()
        remove(request.connection)
    }

    func remove(_ connection: ServerConnection) {
        guard let place = places.removeValue(forKey: ObjectIdentifier(connection)) else { return }
        connection.broadcast = nil
        let request = requests[place]
        let last = requests.removeLast()
        if place < requests.count {
            requests[place] = last
            places[ObjectIdentifier(last.connection)] = place
        }
        onRemoval?(request)
    }

    /// Sends a reply to all; it must be one that others follow.
    public func send(_ reply: VarlinkEncodedReply) { send(reply.bytes, number: reply.message.number) }

    /// Sends one of several replies, as it is on the wire, to all. Numbers only grow.
    package func send(_ reply: UnsafeRawBufferPointer, number: UInt64) {
        guard !requests.isEmpty else { return }
        let batch = pending ?? begin()
        batch.append(reply, number: number)
        if batch.count >= Self.gathered.replies || batch.byteCount >= Self.gathered.bytes { flush() }
    }

    private func begin() -> ReplyBatch {
        let batch = writer.takeBatch()
        pending = batch
        writer.add(self)
        return batch
    }

    /// Writes what the turn has brought so far.
    package func flush() {
        guard let batch = pending else { return }
        pending = nil
        defer { writer.giveBack(batch) }
        for request in requests {
            request.connection.share(batch)
            let queued = request.connection.queued
            if queued > limit || (queued > 1 && request.connection.queuedBytes > byteLimit) { overrun(request) }
        }
    }

    /// The client of a connection holds too much.
    func overrun(_ connection: ServerConnection) {
        flush()
        if let place = places[ObjectIdentifier(connection)] { overrun(requests[place]) }
    }

    private func overrun(_ request: VarlinkRequest) {
        remove(request.connection)
        let dropped = request.dropQueuedReplies()
        onOverrun?(request, dropped)
    }
}

/// What a broadcast has gathered in one turn, message after message in one piece of memory: so all of it is written to a
/// client at once, and nothing is allocated for a message unless some client has to wait for it.
final class ReplyBatch {
    // Nothing calls out while these are changed.
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    @exclusivity(unchecked) private var ends: [(place: Int, number: UInt64)] = []
    /// The same for those who wait, made when the first of them does.
    private var shared: [EncodedMessage] = []

    /// Memory that is not worth being kept for the next turn.
    private static let keptCapacity = 64 << 10

    /// How many messages.
    var count: Int { ends.count }
    /// Their bytes.
    var byteCount: Int { bytes.count }
    /// The number of the last one.
    var last: UInt64 { ends.last?.number ?? 0 }

    /// Adds a message.
    func append(_ message: UnsafeRawBufferPointer, number: UInt64) {
        bytes.append(contentsOf: message)
        ends.append((bytes.count, number))
    }

    /// Begins anew.
    func removeAll() {
        shared = []
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
        ends.removeAll(keepingCapacity: true)
    }

    /// The messages one by one, in memory that lasts: in that of `others`, as far as it has them by their number.
    func messages(
        sharedWith others: inout [UInt64: EncodedMessage], countedIn memory: SharedMemory
    ) -> [EncodedMessage] {
        guard shared.isEmpty else { return shared }
        shared.reserveCapacity(ends.count)
        var start = 0
        for end in ends {
            if end.number > 0, let known = others[end.number] {
                shared.append(known)
            } else {
                var message = bytes.withUnsafeBytes {
                    EncodedMessage(.init(rebasing: $0[start..<end.place]), countedIn: memory)
                }
                message.number = end.number
                shared.append(message)
                if end.number > 0 { others[end.number] = message }
            }
            start = end.place
        }
        return shared
    }

    /// Writes all of it with `write`, which answers as send(2) does.
    func write(_ write: (UnsafeMutablePointer<iovec>) -> Int) -> Int {
        bytes.withUnsafeMutableBytes {
            var part = iovec(iov_base: $0.baseAddress, iov_len: $0.count)
            return write(&part)
        }
    }
}
