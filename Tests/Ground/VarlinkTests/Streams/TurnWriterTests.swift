// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Glibc
import TestSupport
import Testing

@testable import Varlink

/// Who is served when calls wait for their turn.
struct TurnWriterTests {
    /// One call is served a turn. Whoever waits is served before another user has a second call, however many connections
    /// that user has.
    @Test(arguments: 1...20) func usersHaveTheirTurnOneAfterTheOther(seed: UInt64) throws {
        let loop = try MainEventLoop()
        var random = SeededRandom(seed: seed)
        let service = Service(writer: try TurnWriter(on: loop))
        var others: [Int32] = []
        defer { for other in others { close(other) } }
        let users = Int.random(in: 2...5, using: &random)
        for user in 0..<users {
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let ends = try socketPair()
                others.append(ends[1])
                let calls = Int.random(in: 1...3, using: &random)
                service.clients.append(Client(ends[0], of: user, calls, service))
            }
        }
        service.clients.shuffle(using: &random)

        for client in service.clients { client.proceed() }
        while service.clients.contains(where: { $0.calls > 0 }) { try loop.turn(waiting: .zero) }

        for (index, user) in service.served.enumerated() {
            // Since the user's call before it.
            let between = service.served[..<index].lastIndex(of: user).map { service.served[($0 + 1)..<index] }
            guard let between else { continue }
            let waiting = (0..<users).filter { other in other != user && service.served[index...].contains(other) }
            #expect(waiting.allSatisfy(between.contains), "call \(index) in \(service.served)")
        }
        for client in service.clients { client.close() }
        service.writer.releaseStreams()
    }

    /// What the clients have in common.
    private final class Service {
        let writer: TurnWriter
        var clients: [Client] = []
        var served: [Int] = []
        var turn: UInt64 = 0
        var lastTurns: [Int: UInt64] = [:]

        init(writer: TurnWriter) { self.writer = writer }
    }

    /// A stream with calls, each of which takes the time of a turn.
    private final class Client: FrameStream {
        private let user: Int
        private(set) var calls: Int
        private unowned let service: Service

        init(_ descriptor: Int32, of user: Int, _ calls: Int, _ service: Service) {
            (self.user, self.calls, self.service) = (user, calls, service)
            super.init(descriptor, frameLimit: 1 << 10, writer: service.writer)
        }

        override var lastTurnOfUser: UInt64 { service.lastTurns[user] ?? 0 }

        override func advance() {
            guard calls > 0 else { return }
            if service.turn != writer.turn {
                service.turn = writer.turn
                service.lastTurns[user] = writer.turn
                lastTurn = writer.turn
                service.served.append(user)
                calls -= 1
            }
            if calls > 0 { writer.postpone(self) }
        }
    }
}
