// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Testing
@testable import Varlink

struct VarlinkLimitsTests {
    private static func limits(group: UInt32?) -> VarlinkLimits {
        var limits = VarlinkLimits()
        (limits.connections, limits.connectionsPerUser, limits.reservedConnections, limits.group) = (8, 4, 2, group)
        return limits
    }

    @Test(
        arguments: [
            (.stranger, (5, 5, 3), nil), (.stranger, (6, 6, 0), .tooManyConnectionsOfStrangers(limit: 6)),
            (.stranger, (7, 5, 0), nil), (.stranger, (5, 5, 4), .tooManyConnectionsOfUser(limit: 4)),
            (.member, (7, 6, 0), nil), (.member, (8, 6, 0), .tooManyConnections(limit: 8)),
            (.owner, (9, 6, 0), nil), (.owner, (10, 6, 0), .tooManyConnections(limit: 8)),
        ] as [(ClientKind, (Int, Int, Int), VarlinkProblem.Kind?)])
    func aPartIsKeptForTheGroupAndTheOwner(
        kind: ClientKind, open: (all: Int, strangers: Int, user: Int), refusal: VarlinkProblem.Kind?
    ) {
        #expect(Self.limits(group: 7).refusal(of: kind, open: open) == refusal)
    }

    @Test func nothingIsKeptWithoutAGroup() {
        #expect(Self.limits(group: nil).refusal(of: .stranger, open: (7, 7, 0)) == nil)
    }

    @Test func clientsAreToldApart() {
        #expect(ClientKind(VarlinkPeer(pid: 1, uid: 0, gid: 5), group: 7) == .owner)
        #expect(ClientKind(VarlinkPeer(pid: 1, uid: 4711, gid: 7), group: 7) == .member)
        #expect(ClientKind(VarlinkPeer(pid: 1, uid: 4711, gid: 5, groups: [6, 7]), group: 7) == .member)
        #expect(ClientKind(VarlinkPeer(pid: 1, uid: 4711, gid: 5, groups: [6]), group: 7) == .stranger)
        #expect(ClientKind(VarlinkPeer(pid: 1, uid: 4711, gid: 5), group: nil) == .stranger)
        var known = VarlinkPeer(pid: 1, uid: 4711, gid: 5)
        known.isKnown = true
        #expect(ClientKind(known, group: nil) == .member)
    }

    @Test func timeIsThatOfOneTurn() {
        var share = TurnShare(microseconds: 100)
        var answers: [Bool] = []
        for (turn, spent) in [(1, 99), (1, 1), (2, 99)] as [(UInt64, UInt64)] {
            answers.append(share.hasTime(in: turn))
            share.spend(spent)
            answers.append(share.hasTime(in: turn))
        }
        #expect(answers == [true, true, true, false, true, true])
    }
}
