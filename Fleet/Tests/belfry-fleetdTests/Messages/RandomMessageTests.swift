// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import TestSupport
import Testing

@testable import belfry_fleetd

/// Random messages of a broker, most of which are nearly valid.
struct RandomMessageTests {
    private static let names = ["id", "session", "bootId", "version", "name", "reason", "why"]
    private static let words = [
        "active", "background", "stopped", "dead", "pause", "reload", "post", "after", "done", "failed", "refused", "a",
        "b", "", "+", "a/b", "\u{301}", "\u{0}", String(repeating: "a", count: 65),
    ]
    private static let numbers: [Int64] = [.min, -1, 0, 1, 2, 3, 1_000_000, .max - 1, .max]
    private static let pieces = [
        "belfry", "prod", "h1", "state", "notification", "command", "reply", "", "+", "é", "a.b",
    ]

    private var random = SeededRandom(seed: 0)

    @Test(arguments: UInt64(1)...8)
    mutating func messageIsRefusedOrReadBack(seed: UInt64) {
        random = SeededRandom(seed: seed)
        var accepted = 0
        for _ in 0..<2500 {
            let payload = payload()
            if let report = HostReport(payload) {
                accepted += 1
                #expect(HostReport(report.payload) == report, "\(payload)")
            }
            if let command = FleetCommand(payload) {
                accepted += 1
                #expect(FleetCommand(command.payload) == command, "\(payload)")
                _ = CommandLedger().decide(command, isAccepted: true, now: number())
            }
            if let reply = FleetReply(payload) {
                accepted += 1
                #expect(FleetReply(reply.payload) == reply, "\(payload)")
            }
        }
        #expect(accepted > 250)
    }

    @Test(arguments: UInt64(1)...8)
    mutating func viewAcceptsAnyMessage(seed: UInt64) {
        random = SeededRandom(seed: seed)
        var view = FleetView(hostsMax: 2)
        view.brokerConnected()
        view.follow(true)
        for _ in 0..<2500 {
            let host = ["h1", "h2", "h3"][Int.random(in: 0..<3, using: &random)]
            _ = view.receive(state: payload(), of: host, isRetained: .random(in: 0...1) == 1, now: number())
            if let notification = try? JSONValue(json: payload()).objectValue {
                _ = view.receive(notification, of: host)
            }
            for gap in view.sweep(now: number()).gaps {
                let answers: [NotificationTrack.Answer] = [.done(last: number()), .done(last: nil), .later, .failed]
                if let answer = answers.randomElement(using: &random) { _ = view.endQuestion(to: gap.host, answer) }
            }
            let (names, now) = (view.names(), number())
            #expect(names.allSatisfy { view.status(of: $0, now: now) != nil })
        }
        #expect(view.names().count == 2)
    }

    @Test(arguments: UInt64(1)...8)
    mutating func topicIsRefusedOrThatOfAHost(seed: UInt64) {
        random = SeededRandom(seed: seed)
        let topics = FleetTopics(fleet: "prod")
        var accepted = 0
        for _ in 0..<2500 {
            var parts = ["belfry", "prod", "h1", element(Self.pieces), element(Self.pieces)]
            parts.removeLast(Int.random(in: 0...1, using: &random))
            if Bool.random(using: &random) {
                parts[Int.random(in: parts.indices, using: &random)] = element(Self.pieces)
            }
            let topic = parts.joined(separator: "/")
            guard let (host, use) = topics.parse(topic) else { continue }
            accepted += 1
            switch use {
            case .state: #expect(topics.state(of: host) == topic)
            case .notification: #expect(topic.hasPrefix(topics.notification("", of: host)))
            case .command(let sender): #expect(topics.command(from: sender, to: host) == topic)
            case .reply(let sender): #expect(topics.reply(to: sender, from: host) == topic)
            }
        }
        #expect(accepted > 0)
    }

    /// An object with members of all messages, and sometimes with a few other bytes.
    private mutating func payload() -> [UInt8] {
        var object: JSONObject = ["userInfo": value()]
        for name in Self.names { object[name] = value() }
        for name in ["deadlineUsec", "validUntilUsec", "timeUsec", "sinceUsec", "sequence"] {
            object[name] = Bool.random(using: &random) ? .int(number()) : value()
        }
        object[element(["state", "command", "outcome"])] = .string(element(Self.words))
        if Int.random(in: 0..<8, using: &random) == 0 { object[element(["result", "notification"])] = ["a": value()] }
        if Int.random(in: 0..<4, using: &random) > 0 {
            for name in ["id", "session", "name"] { object[name] = "a" }
            for name in ["after", "deadlineUsec"] { object[name] = .int(number()) }
        }
        var bytes = JSONValue.object(object).json
        for _ in 0..<max(0, Int.random(in: -6..<3, using: &random)) {
            bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        return bytes
    }

    private mutating func value() -> JSONValue {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .null
        case 1: .int(number())
        case 2: .object(["a": .string(element(Self.words))])
        default: .string(element(Self.words))
        }
    }

    private mutating func number() -> Int64 { element(Self.numbers) }

    private mutating func element<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }
}
