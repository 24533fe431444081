// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

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
