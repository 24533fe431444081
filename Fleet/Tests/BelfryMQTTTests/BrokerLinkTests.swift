// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import TestSupport
import Testing

@testable import BelfryMQTT

@Suite(.timeLimit(.minutes(2)))
struct BrokerLinkTests {
    /// The types of packets, and how they begin when they are right: PINGREQ, PINGRESP, AUTH, CONNACK, PUBLISH at each QoS, PUBACK,
    /// PUBREC, PUBREL, PUBCOMP, SUBACK, UNSUBACK, DISCONNECT. What follows are mostly the length of the properties, and they.
    private static let beginnings: [[UInt8]] = [
        [0xC0], [0xD0], [0xF0, 0], [0x20, 0, 0], [0x30, 0, 1, 0x78], [0x32, 0, 1, 0x78, 0, 1],
        [0x34, 0, 1, 0x78, 0, 1],
        [0x40, 0, 1, 0], [0x50, 0, 1, 0], [0x62, 0, 1, 0], [0x70, 0, 1, 0], [0x90, 0, 1], [0xB0, 0, 1], [0xE0, 0],
    ]

    private func packet(_ random: inout SeededRandom) -> [UInt8] {
        let beginning = Self.beginnings[Int.random(in: 0..<Self.beginnings.count, using: &random)]
        // Small numbers are likely lengths.
        let rest = (0..<Int.random(in: 0...20, using: &random)).map { _ in
            UInt8.random(in: 0...(Bool.random(using: &random) ? 3 : 255), using: &random)
        }
        let isRight = Int.random(in: 0..<4, using: &random) != 0
        let content = isRight ? beginning.dropFirst() + rest : rest
        let isWhole = Int.random(in: 0..<8, using: &random) != 0
        return [beginning[0], isWhole ? UInt8(content.count) : UInt8.random(in: 0...255, using: &random)] + content
    }

    @Test func randomPacketsEndTheConnectionOnly() throws {
        let loop = try MainEventLoop()
        let stub = try StubBroker(on: loop)
        stub.closesAfterGreeting = true
        let settings = BrokerSettings(host: "127.0.0.1", port: stub.port, isTLS: false, clientID: "a")
        var random = SeededRandom(seed: 15)
        var (ends, messages) = (0, 0)

        for number in 1...1000 {
            stub.greeting = number % 4 == 0 ? [] : StubBroker.accepted
            for _ in 0..<4 { stub.greeting += packet(&random) }
            let handle = try MosquittoHandle(settings, will: BrokerMessage(topic: "will", payload: []))
            #expect(handle.connect() == nil)
            let link = try BrokerLink(handle, keepalive: .seconds(5), times: BrokerTimes(), on: loop) { _, arrival in
                if case .message = arrival { messages += 1 }
            } onEnd: { _, _ in
                ends += 1
            }
            try loop.turn { ends == number }
            #expect(!link.isOpen)
        }

        #expect(messages > 0)
    }
}
