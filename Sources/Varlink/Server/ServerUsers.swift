// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry

/// The users of a server, and the memory that they share: one who holds more than his part, or most when all together hold
/// too much, loses the connection that holds most.
final class ServerUsers {
    /// When so much less is held than before, in bytes, the allocator is to return memory to the system. By itself it keeps
    /// up to 32 MiB at the end of its heap, and what a message becomes while it is parsed is several times its size.
    private static let returned = 256 << 10
    /// How long after that, so that a load that goes up and down costs nothing.
    private static let pause = Duration.seconds(1)

    private var users: [UInt32: ServerUser] = [:]
    /// Connections in all.
    private(set) var connectionCount = 0
    /// Bytes that all hold together.
    private var bytes = 0
    /// The most since memory was returned.
    private var peak = 0
    private var timer: TimerEventSource?

    init(on loop: MainEventLoop) throws(SystemError) {
        timer = try loop.timer(after: .zero) { [unowned self] in
            peak = bytes
            _ = belfry_malloc_trim()
        }
        timer?.isEnabled = false
    }

    var connections: [ServerConnection] { users.values.flatMap(\.connections.values) }

    /// Connections of one user.
    func connectionCount(of uid: UInt32) -> Int { users[uid]?.connections.count ?? 0 }

    /// The user, made for the first connection.
    func user(_ uid: UInt32) -> ServerUser {
        if let known = users[uid] { return known }
        let made = ServerUser(uid)
        users[uid] = made
        return made
    }

    func add(_ connection: ServerConnection) {
        connection.user.add(connection)
        connectionCount += 1
    }

    func remove(_ connection: ServerConnection) {
        guard connection.user.remove(connection) else { return }
        connectionCount -= 1
        if connection.user.connections.isEmpty { users[connection.user.uid] = nil }
    }

    /// Counts what a user's connections hold more, or less, and takes back what is too much. Messages that wait for several
    /// clients are in `shared` once.
    func count(
        _ change: (own: Int, shared: Int), of user: ServerUser, _ shared: SharedMemory, _ limits: VarlinkLimits
    ) {
        user.count(change)
        bytes += change.own
        peak = max(peak, bytes + shared.bytes)
        if change.own <= 0, change.shared <= 0 { return returnMemory(shared) }
        while user.bytes > limits.memoryPerUser, let largest = user.largest {
            largest.giveUp(.tooMuchMemoryOfUser(limit: limits.memoryPerUser))
        }
        while bytes + shared.bytes > limits.memory, let largest = largestUser?.largestOfAll {
            largest.giveUp(.tooMuchMemory(limit: limits.memory))
        }
    }

    private var largestUser: ServerUser? {
        users.values.max { $0.bytes + $0.sharedBytes < $1.bytes + $1.sharedBytes }
    }

    private func returnMemory(_ shared: SharedMemory) {
        guard peak - bytes - shared.bytes > Self.returned, let timer, !timer.isEnabled else { return }
        // Without a timer the allocator keeps it, which harms nobody.
        try? timer.fire(after: Self.pause)
    }
}

/// One user's part of a server: the connections, the memory that they hold, and the time that their calls took in this turn.
///
/// Users are told apart, and not connections: one user may have a thousand of these, and takes no more for it.
final class ServerUser {
    /// How long the calls of one user may keep the loop in one turn, in microseconds. A call that is begun is finished.
    private static let turnUsec: UInt64 = 2000

    let uid: UInt32
    private(set) var connections: [ObjectIdentifier: ServerConnection] = [:]
    /// Bytes that the connections hold together, without messages that wait for several clients.
    private(set) var bytes = 0
    /// Bytes of such messages, counted for each connection.
    private(set) var sharedBytes = 0
    private var turn: UInt64 = 0
    private var spentUsec: UInt64 = 0

    init(_ uid: UInt32) { self.uid = uid }

    func add(_ connection: ServerConnection) { connections[ObjectIdentifier(connection)] = connection }

    /// Answers whether it was there.
    func remove(_ connection: ServerConnection) -> Bool {
        connections.removeValue(forKey: ObjectIdentifier(connection)) != nil
    }

    func count(_ change: (own: Int, shared: Int)) {
        bytes += change.own
        sharedBytes += change.shared
    }

    /// The connection that holds most, without messages that wait for several clients.
    var largest: ServerConnection? { connections.values.max { $0.heldBytes < $1.heldBytes } }

    /// The connection that holds most, with these.
    var largestOfAll: ServerConnection? {
        connections.values.max { $0.heldBytes + $0.heldSharedBytes < $1.heldBytes + $1.heldSharedBytes }
    }

    /// Whether another call may begin in this turn.
    func hasTime(in turn: UInt64) -> Bool {
        if turn != self.turn { (self.turn, spentUsec) = (turn, 0) }
        return spentUsec < Self.turnUsec
    }

    func spend(_ usec: UInt64) { spentUsec += usec }
}

/// What a connection holds in memory for its client.
extension ServerConnection {
    /// Counts what the connection holds now. It may be closed for that.
    func count() {
        let (held, shared) = isClosed ? (0, 0) : (ownBytes, sharedBytes)
        guard held != heldBytes || shared != heldSharedBytes else { return }
        let change = (held - heldBytes, shared - heldSharedBytes)
        (heldBytes, heldSharedBytes) = (held, shared)
        server?.count(change, of: user)
    }

    private var ownBytes: Int {
        frames.heldBytes + queuedBytes - sharedBytes + queued * Self.queuedCost + pendingBytes
    }

    /// What a reply that waits takes besides its bytes.
    private static let queuedCost = 32

    /// Too much is held, and here most of it: a subscriber counts as too slow, any other connection is closed.
    func giveUp(_ problem: VarlinkProblem.Kind) {
        let before = heldBytes + heldSharedBytes
        if let broadcast {
            broadcast.overrun(self)
            count()
            if isClosed || heldBytes + heldSharedBytes < before { return }
        }
        server?.report(problem, peer)
        close()
    }
}
