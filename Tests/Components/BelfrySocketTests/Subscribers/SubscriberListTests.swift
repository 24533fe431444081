// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryEventLoop
import Lifecycle
import BelfrySocket
import TestSupport
import Testing
import Varlink

/// Subscribers that read, that do not, and that read slowly. Server and clients are on one loop, so that a client reads only
/// while the server does not work.
@Suite(.timeLimit(.minutes(1)))
struct SubscriberListTests {
    private static let overrun = "io.belfry.Lifecycle.Overrun"

    /// User info of some length.
    private func info(_ bytes: Int) -> UserInfo { ["filler": .string(String(repeating: "x", count: bytes))] }

    private func numbers(_ subscriber: ReplyRecorder) -> [Int64] {
        subscriber.notifications.compactMap { $0["sequence"]?.intValue }
    }

    /// Posts without a reply, as fast as the client can.
    private func post(_ count: Int, _ bytes: Int, _ client: VarlinkClient) {
        let parameters: JSONObject = ["name": "org.example.tick", "userInfo": .object(info(bytes))]
        for _ in 0..<count { client.oneway("io.belfry.Lifecycle.Post", parameters) }
    }

    @Test func promptReadersGetABurstWhole() throws {
        let fixture = try SocketFixture()
        let reader = try fixture.subscribe()
        let some = try fixture.subscribe(["names": ["org.example.tick"]])

        post(3_000, 10, fixture.client)
        try fixture.turn { [reader, some].allSatisfy { $0.isOver || $0.replies.count == 3_001 } }

        #expect(numbers(reader) == (4..<3_004).map { $0 } && numbers(some) == numbers(reader))
    }

    @Test(arguments: [(20_000, 10), (2_000, 3_000)])
    func floodedReaderGetsEveryPostOrAnOverrun(count: Int, bytes: Int) throws {
        let fixture = try SocketFixture()
        let reader = try fixture.subscribe()
        let last = Int64(3 + count)

        post(count, bytes, fixture.client)
        try fixture.turn { reader.isOver || reader.replies.count == count + 1 }
        try fixture.turn { fixture.mediator.lastSequence == last }

        let numbers = numbers(reader)
        #expect(numbers == (4..<4 + Int64(numbers.count)).map { $0 })
        let missed = reader.errorParameters?["dropped"]?.intValue ?? 0
        #expect(reader.error == (missed > 0 ? Self.overrun : nil) && missed <= last - (numbers.last ?? 3))
    }

    @Test func subscriberThatDoesNotReadHoldsNobodyUp() throws {
        let fixture = try SocketFixture { $0.replayMax = 1_000 }
        let sleeper = try fixture.subscribe()
        sleeper.client.setPaused(true)

        post(3_000, 10, fixture.client)
        let state = try fixture.call("GetState").get()
        sleeper.client.setPaused(false)
        try fixture.turn { sleeper.isOver }

        #expect(state["sequence"] == 3_003 && state["subscribers"] == 0)
        #expect(sleeper.error == Self.overrun)
    }

    @Test func subscriberIsNotBehindAtWhatItDidNotAskFor() throws {
        let fixture = try SocketFixture { $0.replaySize = 64 << 10 }
        fixture.mediator.post(.flushRequested)

        let subscriber = try fixture.more("Subscribe", ["names": ["org.example.other"], "after": 3])
        post(20, 8_000, fixture.client)
        try fixture.turn { fixture.mediator.lastSequence == 24 && !subscriber.replies.isEmpty }
        let state = try fixture.call("GetState").get()

        #expect(state["subscribers"] == 1 && subscriber.error == nil)
    }

    @Test func stalledReadersOfALongNotificationGetAnOverrunAndStayConnected() throws {
        let fixture = try SocketFixture()
        let sleepers = try (0..<64).map { _ in try fixture.subscribe() }
        for sleeper in sleepers { sleeper.client.setPaused(true) }

        for _ in 0..<6 {
            fixture.mediator.post(.flushRequested, userInfo: info(1 << 20))
            _ = try fixture.call("GetState")
        }
        let state = try fixture.call("GetState").get()
        for sleeper in sleepers { sleeper.client.setPaused(false) }
        try fixture.turn { sleepers.allSatisfy(\.isOver) }

        #expect(state["subscribers"] == 0)
        #expect(sleepers.allSatisfy { $0.error == Self.overrun && numbers($0) == [4] && !$0.client.isClosed })
    }

    @Test(arguments: [100, 16 << 10, 100 << 10])
    func slowSubscriberGetsTheNumberOfMissedNotifications(bytes: Int) throws {
        let fixture = try SocketFixture { $0.replaySize = 1 << 20 }
        let sleeper = try fixture.subscribe()
        sleeper.client.setPaused(true)

        while try fixture.call("GetState").get()["subscribers"] == 1 {
            fixture.mediator.post(.flushRequested, userInfo: info(bytes))
        }
        let last = fixture.mediator.lastSequence
        fixture.mediator.post(.flushRequested)
        sleeper.client.setPaused(false)
        try fixture.turn { sleeper.isOver }

        // What was begun comes whole.
        let numbers = numbers(sleeper)
        #expect(numbers == (4..<4 + Int64(numbers.count)).map { $0 })
        let missed = sleeper.errorParameters?["dropped"]?.intValue ?? 0
        #expect(sleeper.error == Self.overrun && 3 + Int64(numbers.count) + missed == Int64(last))
        let metrics = try fixture.call("GetOpenMetrics").get()["text"]?.stringValue ?? ""
        #expect(metrics.contains("\nbelfry_overruns_total{service=\"test\"} 1\n"))
    }

    @Test func notificationThatIsTooLongForTheRingIsMissedByAll() throws {
        let fixture = try SocketFixture { $0.replaySize = 64 << 10 }
        let all = try fixture.subscribe()
        let others = try fixture.subscribe(["names": ["org.example.tick"]])

        fixture.mediator.post(.flushRequested, userInfo: info(40 << 10))
        try fixture.turn { all.isOver }
        post(1, 10, fixture.client)
        try fixture.turn { others.replies.count == 2 }

        #expect(all.errorParameters == ["dropped": 1])
        #expect(numbers(others) == [5])
    }

    @Test func subscriberIsNotBehindOnWhatItDidNotAskFor() throws {
        let fixture = try SocketFixture()
        let some = try fixture.subscribe(["names": ["org.example.tick", "didReload"]])

        for _ in 0..<3_000 { fixture.mediator.post(.flushRequested) }
        post(1, 10, fixture.client)
        try fixture.turn { some.isOver || some.replies.count == 2 }

        #expect(numbers(some) == [3_004])
    }

    @Test func longReplayIsSentAsTheClientReads() throws {
        let fixture = try SocketFixture { $0.replaySize = 16 << 20 }
        for _ in 0..<50 { fixture.mediator.post(.flushRequested, userInfo: info(100 << 10)) }

        let replay = try fixture.more("Subscribe", ["after": 3])
        try fixture.turn { replay.isOver || replay.replies.count == 20 }
        fixture.mediator.post(.flushRequested)
        try fixture.turn { replay.isOver || replay.replies.count == 52 }

        #expect(numbers(replay) == (4...54).map { $0 })
    }

    @Test func subscribersThatComeAndGoGetTheNamesThatEachAskedFor() throws {
        let fixture = try SocketFixture()
        let names = ["org.example.a", "org.example.b"]
        for number in 0..<10 {
            fixture.mediator.post(try #require(LifecycleNotification.Name(names[number % 2])))
        }

        var random = SeededRandom(seed: 1)

        for _ in 0..<100 {
            var subscribers: [ReplyRecorder] = []
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let name = JSONValue.string(names[Int.random(in: 0...1, using: &random)])
                let subscriber = try fixture.more("Subscribe", ["names": [name], "after": 3])
                try fixture.turn { subscriber.replies.count == 6 }
                #expect(subscriber.notifications.allSatisfy { $0["name"] == name })
                subscribers.append(subscriber)
            }
            for subscriber in subscribers.shuffled(using: &random) { subscriber.vanish() }
            _ = try fixture.call("GetState")
        }
    }
}
