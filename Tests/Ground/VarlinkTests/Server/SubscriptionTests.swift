// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import TestSupport
import Testing
import Varlink

@Suite(.timeLimit(.minutes(1)))
struct SubscriptionTests {
    private let subscribe = VarlinkCall("org.example.test.Wait", mode: .more)

    @Test func subscribersGetTheirOwnSequences() throws {
        let fixture = try ServerFixture()
        let peers = try (0..<6).map { _ in try fixture.peer() }
        for peer in peers {
            peer.write(subscribe)
            try fixture.turn { fixture.waiting.count == (peers.firstIndex { $0 === peer } ?? 0) + 1 }
        }
        var random = SeededRandom(seed: 4)
        var expected = peers.map { _ in [String]() }

        for turn in Int64(0)..<400 {
            let reply = VarlinkEncodedReply(VarlinkReply(["turn": .int(turn)], continues: true))
            for (index, request) in fixture.waiting.enumerated() {
                guard index < 2 || Int.random(in: 0..<4, using: &random) > 0 else { continue }
                request.send(reply)
                expected[index].append(#"{"parameters":{"turn":\#(turn)},"continues":true}"#)
            }
            if turn % 7 == 0 { try fixture.loop.turn(waiting: .zero) }
        }

        for (peer, expected) in zip(peers, expected) { #expect(try fixture.receive(expected.count, peer) == expected) }
    }

    @Test func repliesOfATurnAreWrittenTogether() throws {
        let fixture = try ServerFixture()
        let peer = try fixture.peer()
        peer.write(subscribe)
        try fixture.turn { fixture.waiting.count == 1 }

        for turn in Int64(0)..<10 { fixture.waiting[0].reply(["turn": .int(turn)], continues: true) }
        peer.read()
        #expect(peer.received.isEmpty && fixture.waiting[0].queuedReplies == 10)
        try fixture.loop.turn(waiting: .zero)
        peer.read()

        #expect(peer.received.count == 10 && fixture.waiting[0].queuedReplies == 0)
    }

    /// Has the call of a subscriber supply pieces when everything before is written.
    private func supply(_ pieces: [VarlinkEncodedReply], _ request: VarlinkRequest) {
        var rest = pieces[...]
        request.onDrained = { rest.popFirst() }
        request.wake()
    }

    /// A piece with some replies.
    private func piece(_ count: Int, _ padding: Int = 0) -> VarlinkEncodedReply {
        let text = #"{"parameters":{"text":"\#(String(repeating: "z", count: padding))"},"continues":true}"#
        let bytes = Array(repeatElement(Array(text.utf8) + [0], count: count).joined())
        return bytes.withUnsafeBytes { VarlinkEncodedReply(sharing: $0) }
    }

    @Test func suppliedPiecesFollowWhatIsQueuedAsTheClientReads() throws {
        let fixture = try ServerFixture()
        let peer = try fixture.peer()
        peer.write(subscribe)
        try fixture.turn { fixture.waiting.count == 1 }
        let request = fixture.waiting[0]

        request.reply(["turn": 0], continues: true)
        supply((0..<40).map { _ in piece(500) }, request)
        try fixture.loop.turn(waiting: .zero)
        #expect(request.queuedReplies == 1, "only one piece waits")
        let received = try fixture.receive(20_001, peer)

        #expect(received[0].contains(#""turn":0"#) && received.dropFirst().allSatisfy { $0.contains("text") })
        #expect(request.queuedBytes == 0)
    }

    @Test func errorFollowsThePieceUnderWay() throws {
        let fixture = try ServerFixture()
        let peer = try fixture.peer()
        peer.write(subscribe)
        try fixture.turn { fixture.waiting.count == 1 }
        let request = fixture.waiting[0]

        supply([piece(3, 100_000), piece(1)], request)
        try fixture.loop.turn(waiting: .zero)
        request.fail("org.example.test.Refused", ["why": "slow"])
        peer.write(VarlinkCall("org.example.test.Echo", ["text": "on"]))
        let received = try fixture.receive(5, peer)

        #expect(received.prefix(3).allSatisfy { $0.utf8.count > 100_000 && $0.hasSuffix(#""continues":true}"#) })
        #expect(received[3].contains("Refused") && received[4] == #"{"parameters":{"text":"on"}}"#)
    }

    @Test func nothingIsSuppliedBehindTheLastReply() throws {
        let fixture = try ServerFixture()
        let peer = try fixture.peer()
        peer.write(subscribe)
        try fixture.turn { fixture.waiting.count == 1 }
        let request = fixture.waiting[0]

        for _ in 0..<255 { request.reply([:], continues: true) }
        supply([piece(1)], request)
        // So many are written at once.
        request.reply()
        peer.write(VarlinkCall("org.example.test.Echo", ["text": "on"]))
        let received = try fixture.receive(257, peer)

        #expect(received[255...] == ["{}", #"{"parameters":{"text":"on"}}"#])
    }

    @Test func callBehindManyRepliesIsAnsweredWhenTheyAreWritten() throws {
        var limits = VarlinkLimits()
        limits.unreadBytes = 0
        limits.sendBuffer = 1 << 20
        let fixture = try ServerFixture(limits: limits)
        let peer = try fixture.peer()
        peer.write(subscribe)
        peer.write(VarlinkCall("org.example.test.Echo", ["text": "on"]))
        try fixture.turn { fixture.waiting.count == 1 }
        let request = fixture.waiting[0]

        // The first fills the buffer of the kernel, which has room for all others: more than are written at a time, and at most
        // twice as many.
        request.reply(["padding": .string(String(repeating: "z", count: 3 << 20))], continues: true)
        for _ in 1..<8192 { request.reply([:], continues: true) }
        request.reply()
        for _ in 0..<200 {
            peer.read()
            try fixture.loop.turn(waiting: .zero)
        }
        peer.read()

        #expect(peer.received.count == 8194 && peer.received.last == #"{"parameters":{"text":"on"}}"#)
    }

    @Test(arguments: [(64, true), (2, false)])
    func sharedPieceIsCountedOnce(subscribers: Int, areShared: Bool) throws {
        var limits = VarlinkLimits()
        limits.memoryPerUser = 3 << 20
        let fixture = try ServerFixture(limits: limits)
        let peers = try (0..<subscribers).map { _ in try fixture.peer() }
        for peer in peers { peer.write(subscribe) }
        try fixture.turn { fixture.waiting.count == subscribers }

        let shared = piece(2, 1 << 20)
        for request in fixture.waiting { supply([areShared ? shared : piece(2, 1 << 20)], request) }
        for _ in 0..<3 { try fixture.loop.turn(waiting: .zero) }

        #expect(fixture.server.connectionCount == (areShared ? subscribers : 1))
        #expect(fixture.problems.map(\.kind) == (areShared ? [] : [.tooMuchMemoryOfUser(limit: 3 << 20)]))
        if areShared { #expect(try fixture.receive(2, peers[63]).count == 2) }
    }

    @Test func slowReaderGetsAllQueuedReplies() throws {
        let fixture = try ServerFixture()
        let slow = try fixture.peer()
        slow.write(subscribe)
        try fixture.turn { fixture.waiting.count == 1 }
        let request = fixture.waiting[0]
        let padding = JSONValue.string(String(repeating: "z", count: 10_000))

        for turn in Int64(0)..<200 {
            request.reply(["turn": .int(turn), "padding": padding], continues: true)
            try fixture.loop.turn(waiting: .zero)
        }
        #expect(request.queuedReplies > 50 && request.queuedBytes > 500_000)
        let quick = try fixture.peer()
        quick.write(VarlinkCall("org.example.test.Echo"))
        #expect(try fixture.receive(1, quick).count == 1)
        let received = try fixture.receive(200, slow)

        #expect(
            try received.map { try JSONValue(json: $0.utf8)["parameters"]?["turn"] } == (0..<200).map { .int($0) })
        #expect(request.queuedBytes == 0 && request.queuedReplies == 0)
    }

    @Test func subscriberCanCallAfterAnOverrun() throws {
        let fixture = try ServerFixture()
        let slow = try fixture.peer()
        slow.write(subscribe)
        slow.write(VarlinkCall("org.example.test.Echo", ["text": "on"]))
        try fixture.turn { fixture.waiting.count == 1 }
        let request = fixture.waiting[0]
        let padding = JSONValue.string(String(repeating: "z", count: 300_000))
        var sent = 0
        while request.queuedReplies < 8 {
            request.reply(["turn": .int(Int64(sent)), "padding": padding], continues: true)
            sent += 1
            try fixture.loop.turn(waiting: .zero)
        }

        request.fail("org.example.test.Refused", ["why": "too slow"])
        let received = try fixture.receive(sent + 2, slow)

        #expect(received.suffix(2).first?.contains("\"why\":\"too slow\"") == true)
        #expect(received.last == #"{"parameters":{"text":"on"}}"#)
        let turns = try received.dropLast(2).map { try JSONValue(json: $0.utf8)["parameters"]?["turn"]?.intValue }
        #expect(turns == (0..<Int64(sent)).map { $0 })
    }

    @Test(arguments: [(100_000, Int.max), (Int.max, 5)])
    func fullQueueClosesTheConnection(bytes: Int, replies: Int) throws {
        var limits = VarlinkLimits()
        limits.queuedBytes = bytes
        limits.queuedReplies = replies
        let fixture = try ServerFixture(limits: limits)
        let slow = try fixture.peer()
        let other = try fixture.peer()
        for peer in [slow, other] { peer.write(subscribe) }
        try fixture.turn { fixture.waiting.count == 2 }
        let request = fixture.waiting[0]
        var cancelled = false
        request.onCancel = { cancelled = true }
        let padding = JSONValue.string(String(repeating: "z", count: 10_000))

        while request.isActive {
            request.reply(["padding": padding], continues: true)
            try fixture.loop.turn(waiting: .zero)
        }

        #expect(cancelled && fixture.server.connectionCount == 1)
        guard fixture.problems.count == 1, case .queueOverflow = fixture.problems[0].kind else {
            Issue.record("unexpected \(fixture.problems)")
            return
        }
        fixture.waiting[1].reply(["turn": 1])
        #expect(try fixture.receive(1, other).count == 1)
    }

    @Test func singleReplyMayExceedTheQueueLimit() throws {
        let (fixture, peer) = try subscribed(queuedBytes: 100_000)

        fixture.waiting[0].reply(["padding": .string(String(repeating: "z", count: 5_000_000))])

        #expect(try fixture.receive(1, peer).first?.utf8.count ?? 0 > 5_000_000)
    }

    @Test func changedLimitsApplyToOpenConnections() throws {
        let (fixture, slow) = try subscribed(queuedBytes: 100_000)
        let padding = JSONValue.string(String(repeating: "z", count: 10_000))

        fixture.server.limits.queuedBytes = .max
        for _ in 0..<200 { fixture.waiting[0].reply(["padding": padding], continues: true) }
        #expect(fixture.waiting[0].isActive && fixture.problems.isEmpty)
        fixture.server.limits.queuedBytes = 100_000
        fixture.waiting[0].reply(["padding": padding], continues: true)

        #expect(!fixture.waiting[0].isActive)
        withExtendedLifetime(slow) {}
    }

    /// A server with a limit of queued bytes, and its one subscriber.
    private func subscribed(queuedBytes: Int) throws -> (ServerFixture, Peer) {
        var limits = VarlinkLimits()
        limits.queuedBytes = queuedBytes
        let fixture = try ServerFixture(limits: limits)
        let peer = try fixture.peer()
        peer.write(subscribe)
        try fixture.turn { fixture.waiting.count == 1 }
        return (fixture, peer)
    }

    @Test func handlerMayCloseTheServer() throws {
        let fixture = try ServerFixture()
        let peers = try (0..<3).map { _ in try fixture.peer() }
        for peer in peers { peer.write(subscribe) }
        try fixture.turn { fixture.waiting.count == 3 }

        fixture.waiting[0].onCancel = { fixture.server.close() }
        for request in fixture.waiting { request.reply(["turn": 1], continues: true) }
        peers[0].close()
        try fixture.turn { fixture.server.connectionCount == 0 }

        #expect(fixture.waiting.allSatisfy { !$0.isActive })
    }
}
