// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryMQTT
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct HostileBrokerTests {
    let loop: MainEventLoop
    let stub: StubBroker
    private let pulse: Pulse

    init() throws {
        loop = try MainEventLoop()
        stub = try StubBroker(on: loop, receiveBuffer: 4096)
        pulse = try Pulse(on: loop)
    }

    private func client(
        _ host: String = "127.0.0.1", isTLS: Bool = false, answer: Duration = .milliseconds(300)
    ) throws -> TestClient {
        var times = BrokerTimes()
        times.answer = answer
        times.tick = .milliseconds(20)
        let settings = BrokerSettings(host: host, port: stub.port, isTLS: isTLS, clientID: "a", keepalive: .seconds(5))
        return try TestClient(settings, on: loop, times: times)
    }

    /// Waits for an end with this reason, and for the same after the next attempt.
    private func expect(_ client: TestClient, endsWith reason: String) async throws {
        try await loop.turn { client.reasons.count == 2 }
        #expect(client.reasons.allSatisfy { $0 == "unable to connect to '127.0.0.1:\(stub.port)': \(reason)" })
        #expect(client.wills == 2 && client.connections == 0)
        #expect(pulse.beats > 0)
    }

    @Test(arguments: [false, true])
    func silentBrokerIsLeftInTime(isTLS: Bool) async throws {
        try await expect(client(isTLS: isTLS), endsWith: "no answer from the broker in 0 s")
        #expect(pulse.beats > 20)
    }

    @Test(arguments: [false, true])
    func closedConnectionIsTriedAgain(isTLS: Bool) async throws {
        stub.closesAtOnce = true
        let client = try client(isTLS: isTLS)

        try await loop.turn { client.reasons.count >= 3 }

        for reason in client.reasons {
            let ends = [
                "the broker closed the connection", "Connection reset by peer (ECONNRESET)",
                "unexpected eof while reading",
            ]
            #expect(ends.contains { reason.hasSuffix(": \($0)") }, "\(reason)")
        }
    }

    @Test(
        arguments: [
            ([0x20, 3, 0, 0x87, 0], "the broker says: Not authorized"),
            ([0x20, 3, 0, 0x97, 0], "the broker says: Quota exceeded"),
            ([0x20, 2, 0, 1], "the broker says: Unsupported Protocol Version"),
            (Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), "no answer from the broker in 0 s"),
            (
                [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
                "A network protocol error occurred when communicating with the broker"
            ),
            ([0xE0, 1, 0x8B], "the broker says: Server shutting down"),
            // Properties that do not exist.
            ([0x20, 5, 0, 0, 2, 0x7D, 0], "the broker sends a malformed packet"),
            ([UInt8](repeating: 0x20, count: 34), "the broker sends a malformed packet"),
            // A message, an acknowledgement and a PINGRESP before the greeting.
            (StubBroker.message(1), "A network protocol error occurred when communicating with the broker"),
            ([0x40, 2, 0, 1], "A network protocol error occurred when communicating with the broker"),
            ([0xD0, 0], "A network protocol error occurred when communicating with the broker"),
            // Half a packet, and nothing after it; the text before looks like one too.
            ([0x20, 3, 0], "no answer from the broker in 0 s"),
        ] as [([UInt8], String)])
    func wrongGreetingEndsTheAttempt(greeting: [UInt8], reason: String) async throws {
        stub.greeting = greeting
        try await expect(client(), endsWith: reason)
    }

    @Test func rubbishInTLSEndsTheAttempt() async throws {
        stub.greeting = Array("220 smtp.example ready\r\n".utf8)
        try await expect(client(isTLS: true), endsWith: "wrong version number")
    }

    @Test func messageWithAnUnknownPropertyEndsTheConnection() async throws {
        stub.greeting = StubBroker.accepted + [0x30, 6, 0, 1, 0x78, 2, 0x7D, 0]
        let client = try client()
        try await loop.turn { client.connections == 2 }

        #expect(
            client.reasons[0] == "lost the connection to '127.0.0.1:\(stub.port)': the broker sends a malformed packet")
    }

    @Test func rubbishAfterTheGreetingEndsTheConnection() async throws {
        stub.greeting = StubBroker.accepted + [0xF0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        let client = try client()
        try await loop.turn { client.connections == 2 }

        #expect(client.reasons[0].hasPrefix("lost the connection to '127.0.0.1:\(stub.port)': "))
    }

    @Test func halfAMessageWithoutEndIsNotWaitedFor() async throws {
        stub.greeting = StubBroker.accepted + StubBroker.message(1).dropLast(3)
        let client = try client()
        try await loop.turn { client.broker.isConnected }
        let before = pulse.beats

        try await loop.turn { !client.reasons.isEmpty }

        #expect(
            ["the broker does not answer", "nothing from the broker for 10 s"].contains {
                client.reasons[0].hasSuffix(": \($0)")
            }, "\(client.reasons)")
        #expect(pulse.beats > before + 100)
    }

    @Test func packetThatIsTooLongIsNotReceived() async throws {
        // PUBLISH of 256 MiB.
        stub.greeting = StubBroker.accepted + [0x30, 0xFF, 0xFF, 0xFF, 0x7F]
        stub.flood = [UInt8](repeating: 0x78, count: 1 << 16)
        let client = try client()
        try await loop.turn { !client.reasons.isEmpty }

        #expect(client.reasons[0].hasSuffix(": the broker sends a packet of more than 1 MiB"))
        // With what the socket buffers on both sides hold.
        #expect(stub.sentBytes < 32 << 20)
    }

    @Test func floodOfMessagesLeavesTimeForOthers() async throws {
        stub.greeting = StubBroker.accepted
        stub.flood = StubBroker.message(1)
        let client = try client()

        try await loop.turn { client.events.count > 20_000 }

        #expect(client.connections == 1 && client.reasons == [])
        #expect(pulse.beats > 10)
    }

    @Test func floodIsNotReadWhileAcknowledgementsAreNotRead() async throws {
        stub.greeting = StubBroker.accepted
        stub.flood = StubBroker.message(1)
        stub.isReading = false
        let client = try client()
        try await loop.turn { client.broker.isConnected }

        var (sent, quietTurns) = (0, 0)
        try await loop.turn {
            quietTurns = stub.sentBytes == sent ? quietTurns + 1 : 0
            sent = stub.sentBytes
            return quietTurns == 50
        }
        let stored = client.events.count
        #expect(client.reasons == [])
        stub.read()
        try await loop.turn { client.events.count > 2 * stored }
    }

    @Test func nameThatDoesNotExistIsAReason() async throws {
        let client = try client("broker.invalid")

        try await loop.turn { client.reasons.count == 2 }

        #expect(client.reasons[0].hasPrefix("unable to connect to 'broker.invalid:\(stub.port)': "))
        #expect(stub.connectionCount == 0)
    }

    @Test func connectionThatIsNotMadeIsReportedAndBlocksNothing() async throws {
        // The queue of the listener is full, so that the kernel drops what else arrives.
        let (listener, port) = try LoopbackSocket.listen(backlog: 0)
        let waiting = (0..<3).map { _ in LoopbackSocket.connect(port) }
        defer { for descriptor in waiting + [listener] { close(descriptor) } }
        var times = BrokerTimes()
        times.attempt = .milliseconds(100)
        let settings = BrokerSettings(host: "127.0.0.1", port: port, isTLS: false, clientID: "a")
        let client = try TestClient(settings, on: loop, times: times)

        try await loop.turn { !client.reasons.isEmpty }
        #expect(client.reasons[0].hasSuffix(": no connection after 0 s, still trying"))
        var hasEnded = false
        client.broker.disconnect(within: .seconds(30)) { hasEnded = true }
        try await loop.turn { hasEnded }
        // The thread still waits for the old attempt, and there is no second one.
        client.broker.start()
        try await loop.turn { pulse.beats > 30 }

        #expect(client.wills == 1 && client.reasons.count == 1)
    }
}

/// Counts how often a timer of 10 ms fires.
private final class Pulse {
    private(set) var beats = 0
    private var timer: TimerEventSource?

    init(on loop: MainEventLoop) throws {
        timer = try loop.timer(after: .zero) { [unowned self] in
            beats += 1
            try? timer?.fire(after: .milliseconds(10))
        }
    }
}
