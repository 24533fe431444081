// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import CBelfry
import Glibc
import TestSupport
import Testing
import Varlink

/// No client prevents others from being served.
@Suite(.timeLimit(.minutes(1)))
struct HostileClientTests {
    private let call = VarlinkCall("org.example.test.Echo", ["text": "x"])
    private let answer = #"{"parameters":{"text":"x"}}"#

    private func limits(_ change: (inout VarlinkLimits) -> Void) -> VarlinkLimits {
        var limits = VarlinkLimits()
        change(&limits)
        return limits
    }

    private func expectService(_ fixture: ServerFixture) throws {
        let peer = try fixture.peer()
        peer.write(call)
        #expect(try fixture.receive(1, peer) == [answer])
    }

    @Test(arguments: [
        "no JSON", "[]", "{}", #"{"method":1}"#, #"{"method":"a.b.C","more":true,"oneway":true}"#,
        #"{"method":"a.b.C","x":0}"#, "{\"method\":\"\u{1}\"}", "",
    ])
    func invalidMessageClosesOnlyItsConnection(text: String) throws {
        let fixture = try ServerFixture()
        let peer = try fixture.peer()

        peer.write(call)
        peer.write(text)
        peer.write(call)
        try fixture.waitForEnd(peer)

        #expect(peer.received == [answer])
        #expect(fixture.calls == ["x"])
        #expect(fixture.problems.count == 1 && fixture.problems[0].peer?.pid == getpid())
        guard case .protocolViolation = fixture.problems[0].kind else {
            Issue.record("unexpected \(fixture.problems[0])")
            return
        }
        try expectService(fixture)
    }

    @Test func callsOfAClientThatHasClosedAreHandled() throws {
        let fixture = try ServerFixture()
        let peer = try fixture.peer()
        let calls = (0..<2_000).map { VarlinkCall("org.example.test.Echo", ["text": .string("\($0)")], mode: .oneway) }

        // More than one turn handles.
        peer.write(calls.flatMap { $0.message.array })
        peer.close()
        try fixture.turn { !fixture.calls.isEmpty && fixture.server.connectionCount == 0 }

        #expect(fixture.calls == (0..<2_000).map { "\($0)" })
    }

    @Test func oversizedMessageClosesTheConnection() throws {
        let fixture = try ServerFixture(limits: limits { $0.messageSize = 100 })
        let peer = try fixture.peer()

        peer.write([UInt8](repeating: UInt8(ascii: " "), count: 200_000))
        try fixture.waitForEnd(peer)

        #expect(fixture.problems.map(\.kind) == [.protocolViolation(.tooLarge(100))])
        try expectService(fixture)
    }

    @Test func oversizedMessageClosesTheConnectionDuringACall() throws {
        let fixture = try ServerFixture(limits: limits { $0.messageSize = 100 })
        let peer = try fixture.peer()

        peer.write(VarlinkCall("org.example.test.Wait", mode: .more))
        try fixture.turn { fixture.waiting.count == 1 }
        peer.write([UInt8](repeating: UInt8(ascii: " "), count: 101))
        try fixture.waitForEnd(peer)

        #expect(!fixture.waiting[0].isActive)
        #expect(fixture.problems.map(\.kind) == [.protocolViolation(.tooLarge(100))])
    }

    @Test func callsAfterAPendingOneStayInTheKernel() throws {
        let fixture = try ServerFixture()
        let peer = try fixture.peer()
        let message = VarlinkCall("org.example.test.Echo", ["text": .string(String(repeating: "y", count: 1000))])
            .message.array

        peer.write(VarlinkCall("org.example.test.Wait"))
        try fixture.turn { fixture.waiting.count == 1 }
        var sent = 0
        while send(peer.descriptor, message, message.count, Int32(MSG_NOSIGNAL)) == message.count, sent < 5000 {
            sent += 1
            try fixture.loop.turn(waiting: .zero)
        }
        #expect(sent < 5000)
        fixture.waiting[0].reply(["turn": 1])

        #expect(try fixture.receive(sent + 1, peer).first == #"{"parameters":{"turn":1}}"#)
    }

    @Test func truncatedMessageIsNoCall() throws {
        let fixture = try ServerFixture()
        let peer = try fixture.peer()
        let other = try fixture.peer()

        peer.write(call.message.array.dropLast())
        other.write(call.message.array.dropLast())
        try fixture.turn { fixture.server.connectionCount == 2 }
        peer.close()
        other.stopWriting()
        try fixture.waitForEnd(other)
        try fixture.turn { fixture.server.connectionCount == 0 }

        #expect(fixture.calls.isEmpty)
        #expect(fixture.problems.map(\.kind) == [.protocolViolation(.truncated)])
        try expectService(fixture)
    }

    @Test func numberOfConnectionsIsLimited() throws {
        let fixture = try ServerFixture(
            limits: limits {
                $0.connections = 2
                $0.reservedConnections = 0
            })
        let first = try fixture.peer()
        let second = try fixture.peer()
        let third = try fixture.peer()

        try fixture.waitForEnd(third)
        #expect(fixture.problems.map(\.kind) == [.tooManyConnections(limit: 2)])
        first.close()
        try fixture.turn { fixture.server.connectionCount == 1 }

        try expectService(fixture)
        second.write(call)
        #expect(try fixture.receive(1, second) == [answer])
    }

    @Test func numberOfConnectionsPerUserIsLimited() throws {
        let fixture = try ServerFixture(limits: limits { $0.connectionsPerUser = 1 })
        let first = try fixture.peer()
        let second = try fixture.peer()

        try fixture.waitForEnd(second)

        #expect(fixture.problems.map(\.kind) == [.tooManyConnectionsOfUser(limit: 1)])
        first.write(call)
        #expect(try fixture.receive(1, first) == [answer])
    }

    @Test func shortConnectionsLeaveNoState() throws {
        let fixture = try ServerFixture()

        for round in 0..<500 {
            let peer = try fixture.peer()
            if round % 3 == 0 { peer.write(call) }
            if round % 3 == 1 { peer.write(VarlinkCall("org.example.test.Wait", mode: .more)) }
            peer.close()
            if round % 50 == 0 { try fixture.loop.turnWithoutWaiting() }
        }
        try expectService(fixture)
        try fixture.turn { fixture.server.connectionCount == 0 }

        #expect(fixture.problems.isEmpty)
        #expect(fixture.waiting.allSatisfy { !$0.isActive })
    }

    @Test func unreadRepliesDelayPipelinedCalls() throws {
        let fixture = try ServerFixture(limits: limits { $0.unreadBytes = 10_000 })
        let peer = try fixture.peer()
        let text = String(repeating: "y", count: 1000)
        let message = VarlinkCall("org.example.test.Echo", ["text": .string(text)]).message.array
        var sent = 0
        while fixture.calls.count < 2000, sent < 5000 {
            let count = send(peer.descriptor, message, message.count, Int32(MSG_NOSIGNAL))
            if count == message.count { sent += 1 } else { break }
            try fixture.loop.turn(waiting: .zero)
        }
        try fixture.loop.turnWithoutWaiting()

        #expect(fixture.calls.count < sent)
        #expect(fixture.server.connectionCount == 1)
        try expectService(fixture)
        _ = try fixture.receive(sent - 1, peer)
        #expect(fixture.problems.isEmpty)
    }

    @Test func memoryLimitOfAUserClosesTheLargestConnection() throws {
        let fixture = try ServerFixture(limits: limits { $0.memoryPerUser = 700_000 })
        let peers = try (0..<4).map { _ in try fixture.peer() }

        for peer in [peers[0], peers[1], peers[1], peers[1], peers[2], peers[3]] {
            peer.write([UInt8](repeating: UInt8(ascii: " "), count: 100_000))
            try fixture.loop.turnWithoutWaiting()
        }
        try fixture.waitForEnd(peers[1])
        #expect(fixture.problems.map(\.kind) == [.tooMuchMemoryOfUser(limit: 700_000)])
        for peer in [peers[0], peers[2], peers[3]] {
            peer.write(call)
            #expect(try fixture.receive(1, peer) == [answer])
        }
    }

    /// It would be the largest again and again.
    @Test func connectionClosedForMemoryIsGoneBeforeItsEndIsTold() throws {
        let fixture = try ServerFixture(limits: limits { $0.memoryPerUser = 300_000 })
        let peers = try (0..<2).map { _ in try fixture.peer() }
        for peer in peers { peer.write(VarlinkCall("org.example.test.Wait", mode: .more)) }
        try fixture.turn { fixture.waiting.count == 2 }
        let (large, other) = (fixture.waiting[0], fixture.waiting[1])
        large.onCancel = { other.reply(["turn": 1]) }

        large.reply(["text": .string(String(repeating: "y", count: 400_000))], continues: true)

        #expect(fixture.problems.map(\.kind) == [.tooMuchMemoryOfUser(limit: 300_000)])
        #expect(fixture.server.connectionCount == 1)
        try fixture.turn {
            for peer in peers { peer.read() }
            return peers.contains { $0.received == [#"{"parameters":{"turn":1}}"#] }
        }
    }

    @Test func memoryOfAllClientsIsLimited() throws {
        let fixture = try ServerFixture(limits: limits { $0.memory = 200_000 })
        let first = try fixture.peer()
        let second = try fixture.peer()

        first.write([UInt8](repeating: UInt8(ascii: " "), count: 60_000))
        try fixture.loop.turnWithoutWaiting()
        second.write([UInt8](repeating: UInt8(ascii: " "), count: 200_000))
        try fixture.waitForEnd(second)

        #expect(fixture.problems.map(\.kind) == [.tooMuchMemory(limit: 200_000)])
        first.write(call)
        #expect(try fixture.receive(1, first) == [answer])
    }

    @Test func parametersOfAPendingCallCountAsMemory() throws {
        let fixture = try ServerFixture(limits: limits { $0.memoryPerUser = 400_000 })
        let text = JSONValue.string(String(repeating: "y", count: 150_000))
        let peers = try (0..<3).map { _ in try fixture.peer() }

        for peer in peers {
            peer.write(VarlinkCall("org.example.test.Wait", ["text": text]))
            try fixture.loop.turnWithoutWaiting()
        }

        #expect(fixture.problems.map(\.kind) == [.tooMuchMemoryOfUser(limit: 400_000)])
        #expect(fixture.server.connectionCount == 2)
    }

    @Test func ownerHasReservedConnections() throws {
        let fixture = try ServerFixture(
            limits: limits {
                $0.connections = 1
                $0.reservedConnections = 1
            })
        let first = try fixture.peer()
        let second = try fixture.peer()
        let third = try fixture.peer()

        try fixture.waitForEnd(third)
        for peer in [first, second] {
            peer.write(call)
            #expect(try fixture.receive(1, peer) == [answer])
        }
    }

    @Test func slowCallsDoNotDelayOtherConnections() throws {
        let fixture = try ServerFixture()
        var order: [String] = []
        try fixture.server.add(
            VarlinkInterface(
                "interface org.example.slow\nmethod Work(who: string) -> ()",
                methods: [
                    "Work": { request in
                        order.append(request.parameters["who"]?.stringValue ?? "")
                        let begin = MonotonicInstant.now
                        while MonotonicInstant.now - begin < .milliseconds(1) {}
                        request.reply()
                    }
                ]))
        let busy = try fixture.peer()
        let other = try fixture.peer()

        for _ in 0..<100 { busy.write(VarlinkCall("org.example.slow.Work", ["who": "busy"])) }
        other.write(VarlinkCall("org.example.slow.Work", ["who": "other"]))
        _ = try fixture.receive(1, other)

        // The first turn has time for two or three calls, and the next one begins with the other connection.
        #expect(try #require(order.firstIndex(of: "other")) < 10)
        _ = try fixture.receive(100, busy)
        #expect(order.count == 101)
    }
}
