// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry

/// The users of a server, and the memory that their connections hold. If a user exceeds the limit, or all users together do,
/// the largest connection of that user, or of the largest user, is closed.
final class ServerUsers {
    /// When so many bytes less are held than at the peak, the allocator is asked to return memory to the system. By itself it
    /// keeps up to 32 MiB at the end of its heap, and a message takes several times its size while it is parsed.
    private static let returned = 256 << 10
    /// How long after that, so that a load that goes up and down does not cause it often.
    private static let pause = Duration.seconds(1)

    private var users: [UInt32: ServerUser] = [:]
    /// Connections in all.
    private(set) var connectionCount = 0
    /// Bytes that all users hold together.
    private var bytes = 0
    /// The highest value since memory was returned.
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

    /// The user, created with the first connection.
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

    /// Counts a change of what a user's connections hold, and enforces the limits. Messages that wait for several clients are
    /// counted in `shared` once.
    func count(
        _ change: (own: Int, shared: Int), of user: ServerUser, _ shared: SharedMemory, _ limits: VarlinkLimits
    ) {
        user.count(change)
        bytes += change.own
        peak = max(peak, bytes + shared.bytes)
        if change.own <= 0, change.shared <= 0 { return returnMemory(shared) }
        while user.bytes > limits.memoryPerUser, let largest = user.largest {
            largest.enforceLimit(.tooMuchMemoryOfUser(limit: limits.memoryPerUser))
        }
        while bytes + shared.bytes > limits.memory, let largest = largestUser?.largestOfAll {
            largest.enforceLimit(.tooMuchMemory(limit: limits.memory))
        }
    }

    private var largestUser: ServerUser? {
        users.values.max { $0.bytes + $0.sharedBytes < $1.bytes + $1.sharedBytes }
    }

    private func returnMemory(_ shared: SharedMemory) {
        guard peak - bytes - shared.bytes > Self.returned, let timer, !timer.isEnabled else { return }
        // Without a timer the allocator keeps the memory, which is harmless.
        try? timer.fire(after: Self.pause)
    }
}

/// One user of a server: the connections, the memory that they hold, and the time that their calls took in this turn.
///
/// Shares are by user and not by connection, so that a user with a thousand connections gets no larger share.
final class ServerUser {
    /// How long the calls of one user may take in one turn, in microseconds. A call that was begun is completed.
    private static let turnUsec: UInt64 = 2000

    let uid: UInt32
    private(set) var connections: [ObjectIdentifier: ServerConnection] = [:]
    /// Bytes that the connections hold together, without messages that wait for several clients.
    private(set) var bytes = 0
    /// Bytes of messages that wait for several clients, counted for each connection.
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

    /// The connection that holds most, with messages that wait for several clients.
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

/// The memory that a connection holds for its client.
extension ServerConnection {
    /// Counts what the connection holds now. This may close it.
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

    /// Bytes that a waiting reply takes besides its own.
    private static let queuedCost = 32

    /// Frees what this connection holds, as it is the largest one: a subscriber is treated as too slow, another connection is
    /// closed.
    func enforceLimit(_ problem: VarlinkProblem.Kind) {
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
