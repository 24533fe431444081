// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

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

nonisolated extension VarlinkLimits {
    /// How many connections strangers may have together.
    var connectionsOfStrangers: Int { group == nil ? connections : connections - connections / 4 }

    /// Why a client is refused; nil if there is room for it.
    ///
    /// - Parameter open: the connections that are open: all, those of strangers, and those of the client's user.
    func refusal(of kind: ClientKind, open: (all: Int, strangers: Int, user: Int)) -> VarlinkProblem.Kind? {
        let limit = connections + (kind == .owner ? reservedConnections : 0)
        if open.all >= limit { return .tooManyConnections(limit: connections) }
        if kind == .stranger, open.strangers >= connectionsOfStrangers {
            return .tooManyConnectionsOfStrangers(limit: connectionsOfStrangers)
        }
        if open.user >= connectionsPerUser { return .tooManyConnectionsOfUser(limit: connectionsPerUser) }
        return nil
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
