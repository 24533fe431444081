// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import TestSupport
import Testing
import Varlink

@Suite(.timeLimit(.minutes(1)))
struct VarlinkBroadcastTests {
    private final class Overruns {
        private(set) var all: [(request: VarlinkRequest, dropped: Int)] = []
        var endsRequests = false

        func add(_ request: VarlinkRequest, _ dropped: Int) {
            all.append((request, dropped))
            if endsRequests { request.fail("org.example.test.Refused") }
        }
    }

    private let fixture: ServerFixture
    private let recorded = Overruns()
    private var overruns: [(request: VarlinkRequest, dropped: Int)] { recorded.all }
    private let broadcast: VarlinkBroadcast
    private let padding = JSONValue.string(String(repeating: "z", count: 30_000))

    init() throws {
        fixture = try ServerFixture()
        broadcast = VarlinkBroadcast(on: fixture.server, limit: 10) { [recorded] in recorded.add($0, $1) }
    }

    /// A client in the broadcast, and its request.
    private func member() throws -> (peer: Peer, request: VarlinkRequest) {
        let peer = try fixture.peer()
        let before = fixture.waiting.count
        peer.write(VarlinkCall("org.example.test.Wait", mode: .more))
        try fixture.turn { fixture.waiting.count > before }
        let request = fixture.waiting[before]
        broadcast.add(request)
        return (peer, request)
    }

    private func send(_ turns: Range<Int64>) {
        for turn in turns { broadcast.send(VarlinkEncodedReply(continuing: ["turn": .int(turn)])) }
    }

    private func expected(_ turns: some Sequence<Int64>) -> [String] {
        turns.map { #"{"parameters":{"turn":\#($0)},"continues":true}"# }
    }

    @Test func allMembersGetAllRepliesInOrder() throws {
        let members = try (0..<20).map { _ in try member() }

        // More than a broadcast collects in one turn.
        send(0..<700)

        for (peer, request) in members {
            #expect(try fixture.receive(700, peer) == expected(0..<700))
            #expect(request.isActive && request.queuedReplies == 0)
        }
    }

    @Test func newMemberGetsOnlyLaterReplies() throws {
        let early = try member()
        send(0..<3)
        let late = try member()
        send(3..<5)

        #expect(try fixture.receive(5, early.peer) == expected(0..<5))
        #expect(try fixture.receive(2, late.peer) == expected(3..<5))
    }

    @Test func replyToOneMemberKeepsItsOrder() throws {
        let (one, request) = try member()
        let (other, _) = try member()
        send(0..<2)
        request.reply(["turn": 100], continues: true)
        send(2..<4)
        request.reply(["turn": 101])
        send(4..<5)

        let last = #"{"parameters":{"turn":101}}"#
        #expect(try fixture.receive(6, one) == expected([0, 1, 100, 2, 3]) + [last])
        #expect(try fixture.receive(5, other) == expected(0..<5))
        #expect(broadcast.count == 1 && !request.isActive)
    }

    @Test func removedMemberGetsEarlierReplies() throws {
        let (peer, request) = try member()
        send(0..<2)
        broadcast.remove(request)
        send(2..<4)
        request.reply(["turn": 9])

        #expect(try fixture.receive(3, peer) == expected(0..<2) + [#"{"parameters":{"turn":9}}"#])
    }

    @Test func closingConnectionsKeepsTheOthers() throws {
        let members = try (0..<5).map { _ in try member() }
        members[1].peer.close()
        members[4].peer.close()
        send(0..<2)
        try fixture.turn { broadcast.count == 3 }
        send(2..<3)

        for index in [0, 2, 3] { #expect(try fixture.receive(3, members[index].peer) == expected(0..<3)) }
    }

    @Test func slowReaderOverrunsAndDelaysNoOther() throws {
        let slow = try member()
        let quick = try member()
        var sent = 0
        while overruns.isEmpty {
            broadcast.send(VarlinkEncodedReply(continuing: ["turn": .int(Int64(sent)), "padding": padding]))
            sent += 1
            #expect(try fixture.receive(sent, quick.peer).count == sent)
        }
        let dropped = overruns[0].dropped
        slow.request.fail("org.example.test.Refused", ["why": .string("\(dropped)")])
        send(0..<1)

        let received = try fixture.receive(sent - dropped + 1, slow.peer)
        #expect(overruns.count == 1 && overruns[0].request === slow.request && broadcast.count == 1)
        #expect((10...11).contains(dropped), "one may have been partly written")
        let turns = try received.dropLast().map { try JSONValue(json: $0.utf8)["parameters"]?["turn"]?.intValue }
        #expect(turns == (0..<Int64(sent - dropped)).map { $0 })
        #expect(received.last?.contains(#""why":"\#(dropped)""#) == true)
        #expect(try fixture.receive(sent + 1, quick.peer).last == expected(0..<1).first)
    }

    @Test func lastReplyOnOverrunIsTheLast() throws {
        let slow = try member()
        broadcast.limit = 0
        recorded.endsRequests = true
        while slow.request.isActive {
            broadcast.send(VarlinkEncodedReply(continuing: ["turn": 0, "padding": padding]))
            slow.request.reply(["turn": 1], continues: true)
        }

        let last = #"{"error":"org.example.test.Refused"}"#
        try fixture.turn {
            slow.peer.read()
            return slow.peer.received.contains(last)
        }
        #expect(slow.peer.received.last == last)
    }

    @Test func lateReaderGetsAllReplies() throws {
        broadcast.limit = 1000
        let (peer, request) = try member()
        for turn in Int64(0)..<60 {
            broadcast.send(VarlinkEncodedReply(continuing: ["turn": .int(turn), "padding": padding]))
            if turn % 5 == 0 { try fixture.loop.turn(waiting: .zero) }
        }
        try fixture.loop.turnWithoutWaiting()
        #expect(request.queuedReplies > 10)

        let turns = try fixture.receive(60, peer).map {
            try JSONValue(json: $0.utf8)["parameters"]?["turn"]?.intValue
        }
        #expect(turns == (0..<60).map { $0 })
    }
}
