// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryMQTT
import Foundation
import FleetTestSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct BrokerConnectionTests {
    let loop: MainEventLoop
    let mosquitto: Mosquitto

    init() throws {
        loop = try MainEventLoop()
        mosquitto = try Mosquitto()
    }

    private func client(
        _ name: String, subscribing topics: [String] = [], times: BrokerTimes = BrokerTimes()
    ) throws -> TestClient {
        let settings = BrokerSettings(host: "localhost", port: mosquitto.port, isTLS: false, clientID: name)
        return try TestClient(settings, on: loop, subscribing: topics, times: times)
    }

    @Test func publishedMessageIsAcknowledgedAndComesToSubscribers() async throws {
        let (sender, receiver) = (try client("a"), try client("b", subscribing: ["x/+", "y"]))
        #expect(sender.publish("x/1", "early") == nil)
        try await loop.turn { sender.broker.isConnected && receiver.broker.isSubscribed }
        #expect(sender.events == [.connected] && receiver.events == [.connected])

        #expect(sender.publish("x/1", "text") == 1)
        #expect(sender.publish("z", "for nobody") == 2)
        #expect(sender.publish("y", "é\u{0}") == 3)
        try await loop.turn { sender.events.count == 4 && receiver.messages.count == 2 }

        #expect(sender.events == [.connected, .acknowledged(1), .acknowledged(2), .acknowledged(3)])
        #expect(receiver.messages == ["x/1 text", "y é\u{0}"])
    }

    @Test func subscriptionsCanChangeWhileConnected() async throws {
        let client = try client("a")
        try await loop.turn { client.broker.isConnected }

        client.broker.subscribe(["x", "y"])
        client.broker.unsubscribe(["x"])
        client.publish("x", "1")
        client.publish("y", "2")
        try await loop.turn { client.messages == ["y 2"] && client.acknowledgements == 2 }
    }

    @Test func retainedMessageComesToLaterSubscribersUntilItIsDeleted() async throws {
        let sender = try client("a")
        try await loop.turn { sender.broker.isConnected }
        sender.publish("x", "kept", isRetained: true)
        try await loop.turn { sender.acknowledgements == 1 }
        let second = try client("b", subscribing: ["x"])
        try await loop.turn { second.messages == ["x kept retained"] }

        sender.publish("x", "", isRetained: true)
        try await loop.turn { second.messages.count == 2 }
        let third = try client("c", subscribing: ["x", "end"])
        try await loop.turn { third.broker.isSubscribed }
        sender.publish("end", "")
        try await loop.turn { !third.messages.isEmpty }

        #expect(second.messages == ["x kept retained", "x "])
        #expect(third.messages == ["end "])
    }

    @Test func willIsPublishedWhenTheConnectionIsKilled() async throws {
        let (client, watcher) = (try client("a"), try client("b", subscribing: ["will/a"]))
        try await loop.turn { client.broker.isConnected && watcher.broker.isSubscribed }

        client.kill()
        try await loop.turn { watcher.messages == ["will/a 1"] }
    }

    @Test func disconnectingWaitsForAcknowledgementsAndLeavesNoWill() async throws {
        let client = try client("a")
        let watcher = try self.client("b", subscribing: ["will/a", "state", "end"])
        try await loop.turn { client.broker.isConnected && watcher.broker.isSubscribed }
        var hasEnded = false

        client.publish("state", "stopped")
        client.broker.disconnect(within: .seconds(30)) { hasEnded = true }
        #expect(!hasEnded && client.publish("state", "late") == nil && !client.broker.isConnected)
        try await loop.turn { hasEnded }
        #expect(client.events == [.connected, .acknowledged(1)])
        watcher.publish("end", "")
        try await loop.turn { watcher.messages.last == "end " }
        #expect(watcher.messages == ["state stopped", "end "])

        client.broker.start()
        try await loop.turn { client.connections == 2 }
        #expect(client.wills == 2)
    }

    @Test func disconnectingEndsInTimeWhenTheBrokerDoesNotAnswer() async throws {
        let client = try client("a")
        try await loop.turn { client.broker.isConnected }
        mosquitto.send(SIGSTOP)
        var ends = 0

        client.publish("state", "stopped")
        client.broker.disconnect(within: .milliseconds(100)) { ends += 1 }
        try await loop.turn { ends == 1 }
        let unconnected = try self.client("b")
        unconnected.broker.disconnect(within: .seconds(30)) { ends += 1 }
        try await loop.turn { ends == 2 }
        let waiting = try self.client("c")
        try await loop.turn { waiting.wills == 1 }
        waiting.broker.disconnect(within: .seconds(30)) { ends += 1 }
        try await loop.turn { ends == 3 }

        #expect(client.events == [.connected])
        #expect(unconnected.events == [] && waiting.events == [])
    }

    @Test func connectsAgainWhenTheBrokerIsBack() async throws {
        let client = try client("a", subscribing: ["x"])
        try await loop.turn { client.broker.isConnected }

        mosquitto.kill()
        try await loop.turn { client.reasons.count >= 3 }
        try mosquitto.start()
        try await loop.turn { client.connections == 2 }
        client.publish("x", "again")
        try await loop.turn { client.messages == ["x again"] }

        let address = "'localhost:\(mosquitto.port)'"
        #expect(client.reasons[0] == "lost the connection to \(address): the broker closed the connection")
        #expect(client.reasons[1] == "unable to connect to \(address): Connection refused (ECONNREFUSED)")
        #expect(client.wills == client.reasons.count + 1)
    }

    @Test func publishedMessagesAreForgottenWithTheirConnection() async throws {
        let client = try client("a")
        try await loop.turn { client.broker.isConnected }
        mosquitto.send(SIGSTOP)
        while client.publish("x", "text") != nil {}
        #expect(!client.broker.hasRoom)

        mosquitto.kill()
        try mosquitto.start()
        try await loop.turn { client.connections == 2 }

        #expect(client.broker.hasRoom && client.acknowledgements == 0)
        #expect(client.publish("x", "text") == 257)
    }

    @Test(arguments: [(0, 256), (1_000_000, 5)])
    func windowIsFullUntilTheBrokerAcknowledges(size: Int, limit: Int) async throws {
        let client = try client("a")
        try await loop.turn { client.broker.isConnected }
        mosquitto.send(SIGSTOP)
        let text = String(repeating: "x", count: size)

        var ids: [Int] = []
        while let id = client.publish("x", text) { ids.append(id) }
        #expect(ids == Array(1...limit) && !client.broker.hasRoom)
        mosquitto.send(SIGCONT)
        try await loop.turn { client.acknowledgements == limit }

        #expect(client.broker.hasRoom && client.publish("x", text) == limit + 1)
    }

    @Test func messageThatNoBrokerTakesIsRefusedOnce() async throws {
        let client = try client("a")
        try await loop.turn { client.broker.isConnected }

        #expect(client.publish("x", String(repeating: "x", count: 1 << 20)) == 1)
        #expect(client.publish("x/#", "") == 2)
        #expect(client.events == [.connected])
        try await loop.turn { client.events.count == 3 }

        #expect(client.events[1] == .refused(1, reason: "longer than 1 MiB"))
        #expect(client.events[2] == .refused(2, reason: "Invalid function arguments provided"))
        #expect(client.broker.hasRoom)
    }

    @Test func messageThatThisBrokerDoesNotTakeIsRefused() async throws {
        let stub = try StubBroker(on: loop)
        // CONNACK with a maximum packet size of 100 bytes.
        stub.greeting = [0x20, 8, 0, 0, 5, 0x27, 0, 0, 0, 100]
        let settings = BrokerSettings(host: "localhost", port: stub.port, isTLS: false, clientID: "a")
        let client = try TestClient(settings, on: loop)
        try await loop.turn { client.broker.isConnected }

        for size in 60...100 { client.publish("x", String(repeating: "x", count: size)) }
        try await loop.turn { client.events.count == 34 }

        #expect(client.events[1] == .refused(9, reason: "longer than the broker takes"))
        #expect(client.reasons == [])
    }

    @Test func secondClientOfANameReplacesTheFirst() async throws {
        let first = try client("a")
        try await loop.turn { first.broker.isConnected }

        let second = try client("a")
        try await loop.turn { !first.reasons.isEmpty }
        first.kill()
        try await loop.turn { second.broker.isConnected }

        #expect(first.reasons[0].hasPrefix("lost the connection to "))
    }

    @Test func manyMessagesOfMoreThanAMegabyteTogetherArrive() async throws {
        let client = try client("a", subscribing: ["x"])
        try await loop.turn { client.broker.isConnected }
        let text = String(repeating: "x", count: 100_000)

        var sent = 0
        try await loop.turn {
            while sent < 100, client.publish("x", text) != nil { sent += 1 }
            return client.messages.count == 100
        }
        #expect(client.connections == 1 && client.reasons == [])
    }
}
