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

    /// The limits for clients.
    var limits: VarlinkLimits {
        didSet { for connection in connections { connection.frames.limit = limits.messageSize } }
    }
    let writer: TurnWriter
    private let onProblem: (VarlinkProblem) -> Void
    private var users: [UInt32: ServerUser] = [:]
    /// Connections in all.
    private(set) var connectionCount = 0
    /// Bytes that all users hold together, without messages that wait for several clients.
    private var bytes = 0
    /// With these, which are counted once.
    private var total: Int { bytes + writer.shared.bytes }
    /// The highest value since memory was returned.
    private var peak = 0
    private var timer: TimerEventSource?

    init(
        on loop: MainEventLoop, _ writer: TurnWriter, _ limits: VarlinkLimits,
        _ onProblem: @escaping (VarlinkProblem) -> Void
    ) throws(SystemError) {
        self.writer = writer
        self.limits = limits
        self.onProblem = onProblem
        timer = try loop.timer(after: .zero) { [unowned self] in
            peak = bytes
            _ = belfry_malloc_trim()
        }
        timer?.isEnabled = false
    }

    func report(_ kind: VarlinkProblem.Kind, _ peer: VarlinkPeer?) { onProblem(VarlinkProblem(kind, peer: peer)) }

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
        connection.user.connections[ObjectIdentifier(connection)] = connection
        connectionCount += 1
    }

    func remove(_ connection: ServerConnection) {
        guard connection.user.connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        connectionCount -= 1
        if connection.user.connections.isEmpty { users[connection.user.uid] = nil }
    }

    /// Counts a change of what a user's connections hold, and enforces the limits.
    func count(_ change: (own: Int, shared: Int), of user: ServerUser) {
        user.bytes += change.own
        user.sharedBytes += change.shared
        bytes += change.own
        peak = max(peak, total)
        if change.own <= 0, change.shared <= 0 { return returnMemory() }
        while user.bytes > limits.memoryPerUser, let largest = user.largest {
            largest.enforceLimit(.tooMuchMemoryOfUser(limit: limits.memoryPerUser))
        }
        while total > limits.memory, let largest = largestUser?.largestOfAll {
            largest.enforceLimit(.tooMuchMemory(limit: limits.memory))
        }
    }

    private var largestUser: ServerUser? {
        users.values.max { $0.bytes + $0.sharedBytes < $1.bytes + $1.sharedBytes }
    }

    private func returnMemory() {
        guard peak - total > Self.returned, let timer, !timer.isEnabled else { return }
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
    fileprivate(set) var connections: [ObjectIdentifier: ServerConnection] = [:]
    /// Bytes that the connections hold together, without messages that wait for several clients.
    fileprivate(set) var bytes = 0
    /// Bytes of messages that wait for several clients, counted for each connection.
    fileprivate(set) var sharedBytes = 0
    private var turn: UInt64 = 0
    private var spentUsec: UInt64 = 0

    init(_ uid: UInt32) { self.uid = uid }

    /// The connection that holds most, without messages that wait for several clients.
    var largest: ServerConnection? { connections.values.max { $0.held.own < $1.held.own } }

    /// The connection that holds most, with messages that wait for several clients.
    var largestOfAll: ServerConnection? {
        connections.values.max { $0.held.own + $0.held.shared < $1.held.own + $1.held.shared }
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
        let now = isClosed ? (own: 0, shared: 0) : (own: ownBytes, shared: sharedBytes)
        guard now != held else { return }
        let change = (own: now.own - held.own, shared: now.shared - held.shared)
        held = now
        users.count(change, of: user)
    }

    private var ownBytes: Int {
        frames.heldBytes + queuedBytes - sharedBytes + queued * Self.queuedCost + keptBytes
    }

    /// Bytes that a waiting reply takes besides its own.
    private static let queuedCost = 32

    /// Frees what this connection holds, as it is the largest one: a subscriber is treated as too slow, another connection is
    /// closed.
    func enforceLimit(_ problem: VarlinkProblem.Kind) {
        let before = held.own + held.shared
        if let broadcast = call?.broadcast {
            broadcast.overrun(self)
            count()
            if isClosed || held.own + held.shared < before { return }
        }
        users.report(problem, peer)
        close()
    }
}
