// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import BelfrySocket
import TestSupport
import Testing
import Varlink

/// The number of posts that wait for listeners is limited, and none is lost.
@Suite(.timeLimit(.minutes(1)))
struct PostAdmissionTests {
    /// A listener that answers when `finish` is called.
    private final class PendingListener: LifecycleListener {
        let name = "patient"
        private(set) var received = 0
        private var completions: [(Result<Void, any Error>) -> Void] = []

        var answers: [LifecycleAnswer] {
            onCompletion(LifecycleNotification.Name("org.example.work")!) { [self] _, completion in
                received += 1
                completions.append(completion)
                return {}
            }
        }

        func finish(_ count: Int) {
            let ended = completions.prefix(count)
            completions.removeFirst(ended.count)
            for completion in ended { completion(.success(())) }
        }

        func finishAll() { while !completions.isEmpty { finish(1) } }
    }

    private let fixture: SocketFixture
    private let listener = PendingListener()

    init() throws {
        fixture = try SocketFixture()
        try fixture.mediator.addListener(listener)
    }

    private func post(_ count: Int, _ userInfo: JSONValue = [:]) {
        for _ in 0..<count {
            fixture.client.oneway("io.belfry.Lifecycle.Post", ["name": "org.example.work", "userInfo": userInfo])
        }
    }

    @Test func postsBeyondTheLimitWaitForEarlierOnes() throws {
        post(300)
        try fixture.turn { listener.received == 256 }
        try fixture.loop.turnWithoutWaiting()
        #expect(listener.received == 256)

        listener.finish(10)
        try fixture.turn { listener.received == 266 }
        try fixture.loop.turnWithoutWaiting()
        #expect(listener.received == 266)

        listener.finish(300)
        try fixture.turn { listener.received == 300 }
        listener.finishAll()
    }

    @Test func bytesOfUserInfoAreBounded() throws {
        post(20, ["text": .string(String(repeating: "x", count: 1_000_000))])
        try fixture.turn { listener.received == 16 }
        try fixture.loop.turnWithoutWaiting()
        #expect(listener.received == 16)

        listener.finish(16)
        try fixture.turn { listener.received == 20 }
        listener.finishAll()
    }

    /// They begin in a loop: the stack of the service does not grow with their number.
    @Test func waitingPostsThatEndAtOnceBeginOneAfterTheOther() throws {
        post(256)
        try fixture.turn { listener.received == 256 }
        let others = try (0..<100).map { _ in try fixture.connect() }
        for other in others { other.oneway("io.belfry.Lifecycle.Post", ["name": "org.example.work"]) }
        for _ in 0..<50 { try fixture.loop.turnWithoutWaiting() }
        var places: [Int] = []
        let observation = fixture.mediator.addObserver { _ in
            var local = 0
            withUnsafeMutablePointer(to: &local) { places.append(Int(bitPattern: $0)) }
        }

        fixture.mediator.removeListener(listener)
        listener.finish(1)
        observation.cancel()
        for other in others { other.close() }

        let (lowest, highest) = (places.min() ?? 0, places.max() ?? 0)
        #expect(places.count == 100 && highest - lowest < 10_000)
        listener.finishAll()
    }

    @Test func otherClientsAreServedMeanwhile() throws {
        post(300)
        try fixture.loop.turnWithoutWaiting()

        let other = try fixture.subscribe()
        fixture.mediator.post(LifecycleNotification.Name("org.example.own")!)
        try fixture.turn { other.replies.count == 2 }
        listener.finishAll()
    }
}
