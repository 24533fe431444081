// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// The users of a server, and the memory that their connections hold. If a user exceeds the limit, or all users
/// together do, the largest connection of that user, or of the largest user, is closed.
final class ServerUsers {
    /// When so many bytes less are held than at the peak, the allocator is asked to return memory to the system. By
    /// itself it keeps up to 32 MiB at the end of its heap, and a message takes several times its size while it is
    /// parsed.
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
    /// Those of strangers.
    private var strangerCount = 0
    /// The time of all strangers together: twice that of one user.
    var shareOfStrangers = TurnShare(microseconds: 4000)
    /// Bytes that all users hold together.
    private var bytes = 0
    private var shared = SharedMessages()
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

    func report(_ kind: VarlinkProblem.Kind, _ peer: VarlinkPeer?) { onProblem(VarlinkProblem(kind: kind, peer: peer)) }

    var connections: [VarlinkConnection] { users.values.flatMap(\.connections.values) }

    /// How many connections are open: all, those of strangers, and those of a user.
    func connections(of uid: UInt32) -> (all: Int, strangers: Int, user: Int) {
        (connectionCount, strangerCount, users[uid]?.connections.count ?? 0)
    }

    /// The user, created with the first connection.
    func user(_ uid: UInt32) -> ServerUser {
        if let known = users[uid] { return known }
        let made = ServerUser(uid)
        users[uid] = made
        return made
    }

    func add(_ connection: VarlinkConnection) {
        connection.user.connections[ObjectIdentifier(connection)] = connection
        connectionCount += 1
        if connection.kind == .stranger { strangerCount += 1 }
    }

    func remove(_ connection: VarlinkConnection) {
        guard connection.user.connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        connectionCount -= 1
        if connection.kind == .stranger { strangerCount -= 1 }
        if connection.user.connections.isEmpty { users[connection.user.uid] = nil }
    }

    /// Counts a change of what a user's connections hold, of their own and of what they share, and enforces the limits.
    func count(_ change: Int, _ old: EncodedMessage?, replacedBy new: EncodedMessage?, of user: ServerUser) {
        let changeOfUser = change + user.shared.replace(old, by: new)
        user.bytes += changeOfUser
        bytes += change + shared.replace(old, by: new)
        peak = max(peak, bytes)
        if changeOfUser <= 0 { return returnMemory() }
        while user.bytes > limits.memoryPerUser, let largest = user.largest {
            largest.enforceLimit(.tooMuchMemoryOfUser(limit: limits.memoryPerUser))
        }
        while bytes > limits.memory, let largest = users.values.max(by: { $0.bytes < $1.bytes })?.largest {
            largest.enforceLimit(.tooMuchMemory(limit: limits.memory))
        }
    }

    private func returnMemory() {
        guard peak - bytes > Self.returned, let timer, !timer.isEnabled else { return }
        // Without a timer the allocator keeps the memory, which is harmless.
        try? timer.fire(after: Self.pause)
    }
}

/// One user of a server: the connections, the memory that they hold, and the time that their calls took in this turn.
///
/// Shares are by user and not by connection, so that a user with a thousand connections gets no larger share.
final class ServerUser {
    let uid: UInt32
    fileprivate(set) var connections: [ObjectIdentifier: VarlinkConnection] = [:]
    /// Bytes that the connections hold together.
    fileprivate(set) var bytes = 0
    /// The messages among them that several connections may share.
    fileprivate var shared = SharedMessages()
    /// The time of its calls.
    var share = TurnShare(microseconds: 2000)
    /// The turn in which its last call began; 0 for none.
    var lastTurn: UInt64 = 0

    init(_ uid: UInt32) { self.uid = uid }

    /// The connection that holds most.
    var largest: VarlinkConnection? { connections.values.max { size(of: $0) < size(of: $1) } }

    private func size(of connection: VarlinkConnection) -> Int {
        connection.held + (connection.heldMessage.map(shared.part) ?? 0)
    }
}

/// Messages that several connections hold. Each is counted once.
struct SharedMessages {
    /// An entry holds its message, so that its identity belongs to no other.
    private var holders: [ObjectIdentifier: (message: EncodedMessage, count: Int)] = [:]

    /// One connection holds `new` instead of `old`. Returns how many bytes more are held.
    mutating func replace(_ old: EncodedMessage?, by new: EncodedMessage?) -> Int {
        guard old?.id != new?.id else { return 0 }
        var change = 0
        if let new {
            holders[new.id, default: (new, 0)].count += 1
            if holders[new.id]?.count == 1 { change += new.count }
        }
        if let old, let count = holders[old.id]?.count {
            holders[old.id] = count > 1 ? (old, count - 1) : nil
            if count == 1 { change -= old.count }
        }
        return change
    }

    /// The part of a message that one of its connections accounts for.
    func part(of message: EncodedMessage) -> Int { message.count / max(holders[message.id]?.count ?? 1, 1) }
}

/// The memory that a connection holds for its client.
extension VarlinkConnection {
    /// Counts what the connection holds now. This may close it.
    func count() {
        let now = isClosed ? 0 : frames.heldBytes + ownBytes + queued * Self.queuedCost + keptBytes
        let message = shared?.message
        guard now != held || message?.id != heldMessage?.id else { return }
        let (change, old) = (now - held, heldMessage)
        (held, heldMessage) = (now, message)
        users.count(change, old, replacedBy: message, of: user)
    }

    /// Bytes that wait to be sent, without those that are shared.
    var ownBytes: Int { queuedBytes - (shared?.rest ?? 0) }

    /// Bytes that a waiting reply takes besides its own.
    private static let queuedCost = 32

    /// Closes this connection, as it is the largest one.
    func enforceLimit(_ problem: VarlinkProblem.Kind) {
        users.report(problem, peer)
        close()
    }
}

/// Who a client is to the server. One person can have many users (subuid(5)), so strangers have limits together.
nonisolated enum ClientKind: Equatable {
    /// Root, or the server's own user.
    case owner
    /// In the group for which a part is kept, or known to the server.
    case member
    case stranger

    init(_ peer: VarlinkPeer, group: UInt32?) {
        if peer.uid == 0 || peer.uid == geteuid() {
            self = .owner
        } else {
            self = peer.isKnown || group.map(peer.isMember) ?? false ? .member : .stranger
        }
    }
}

/// The time that the calls of some clients may take in one turn. A call that was begun is completed.
nonisolated struct TurnShare {
    private let usec: UInt64
    private var turn: UInt64 = 0
    private var spentUsec: UInt64 = 0

    init(microseconds: UInt64) { usec = microseconds }

    /// Whether another call may begin in this turn.
    mutating func hasTime(in turn: UInt64) -> Bool {
        if turn != self.turn { (self.turn, spentUsec) = (turn, 0) }
        return spentUsec < usec
    }

    mutating func spend(_ usec: UInt64) { spentUsec += usec }
}
