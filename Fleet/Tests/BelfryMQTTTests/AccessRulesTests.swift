// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryMQTT
import Foundation
import FleetTestSupport
import TestSupport
import Testing

/// mosquitto with the files in Fleet/config/mosquitto, as they are shipped but for the places of other files and the port.
@Suite(.timeLimit(.minutes(1)))
struct AccessRulesTests {
    let loop: MainEventLoop
    let authority: CertificateAuthority
    let mosquitto: Mosquitto

    init() throws {
        loop = try MainEventLoop()
        authority = try CertificateAuthority()
        let (certificate, key) = try authority.issue("broker", names: "DNS:localhost")
        let shipped = try String(contentsOf: ProjectFile.url("Fleet/config/mosquitto/belfry.conf"), encoding: .utf8)
        let text = [
            ("listener 8883", "listener PORT 127.0.0.1"), ("/etc/mosquitto/certs/belfry-ca.pem", authority.file),
            ("/etc/mosquitto/certs/broker.pem", certificate), ("/etc/mosquitto/certs/broker.key", key),
            ("/etc/mosquitto/belfry.acl", ProjectFile.url("Fleet/config/mosquitto/belfry.acl").path),
        ].reduce(shipped) { text, replacement in
            precondition(text.contains("\(replacement.0)\n"))
            return text.replacing(replacement.0, with: replacement.1)
        }
        mosquitto = try Mosquitto("persistence true\npersistence_location DIRECTORY/\n" + text)
    }

    private func client(_ name: String, subscribing topics: [String] = []) throws -> TestClient {
        var settings = BrokerSettings(host: "localhost", port: mosquitto.port, caFile: authority.file, clientID: name)
        (settings.certificateFile, settings.keyFile) = try authority.issue(name)
        return try TestClient(settings, on: loop, subscribing: topics)
    }

    /// Whether the broker takes a message.
    private func mayPublish(_ client: TestClient, _ topic: String) async throws -> Bool {
        guard let id = client.publish(topic, "text") else { return false }
        let refusal = BrokerConnection.Event.refused(id, reason: "Not authorized")
        try await loop.turn { client.events.contains { $0 == .acknowledged(id) || $0 == refusal } }
        return client.events.contains(.acknowledged(id))
    }

    @Test func hostMayPublishItsOwnOnly() async throws {
        let host = try client("host-a")
        try await loop.turn { host.broker.isConnected }

        for topic in ["host-a/state", "host-a/notification/didReload", "host-a/reply/operator"] {
            #expect(try await mayPublish(host, "belfry/default/\(topic)"))
        }
        for topic in [
            "host-b/state", "host-b/notification/didReload", "host-b/reply/operator", "host-a/command/host-a",
            "host-b/command/host-a", "host-b/command/operator", "host-a/command/operator", "host-a/other",
        ] {
            #expect(try await !mayPublish(host, "belfry/default/\(topic)"), "\(topic)")
        }
        for topic in ["belfry/other/host-a/state", "x", "$SYS/x"] {
            #expect(try await !mayPublish(host, topic), "\(topic)")
        }
    }

    @Test func operatorMaySendCommandsUnderItsNameOnly() async throws {
        let host = try client("host-a", subscribing: ["belfry/default/host-a/command/+"])
        let `operator` = try client("operator")
        try await loop.turn { host.broker.isSubscribed && `operator`.broker.isConnected }

        #expect(try await mayPublish(`operator`, "belfry/default/host-a/command/operator"))
        #expect(try await !mayPublish(`operator`, "belfry/default/host-a/command/other"))
        #expect(try await !mayPublish(`operator`, "belfry/default/host-a/state"))
        try await loop.turn { !host.messages.isEmpty }

        #expect(host.messages == ["belfry/default/host-a/command/operator text"])
    }

    @Test func operatorSeesAllHostsAndAHostOnlyItself() async throws {
        let spy = try client(
            "host-b", subscribing: ["#", "belfry/#", "belfry/default/+/state", "belfry/default/host-a/+/+"])
        let `operator` = try client(
            "operator",
            subscribing: [
                "belfry/default/+/state", "belfry/default/+/notification/+", "belfry/default/+/reply/operator",
            ])
        let host = try client("host-a")
        try await loop.turn { [spy, `operator`, host].allSatisfy(\.broker.isSubscribed) }

        for topic in ["state", "notification/didReload", "reply/operator", "reply/other"] {
            host.publish("belfry/default/host-a/\(topic)", "a")
        }
        `operator`.publish("belfry/default/host-a/command/operator", "c")
        try await loop.turn { host.acknowledgements == 4 && `operator`.acknowledgements == 1 }
        spy.publish("belfry/default/host-b/state", "b")
        try await loop.turn { `operator`.messages.count == 4 && !spy.messages.isEmpty }

        #expect(
            `operator`.messages == [
                "belfry/default/host-a/state a", "belfry/default/host-a/notification/didReload a",
                "belfry/default/host-a/reply/operator a", "belfry/default/host-b/state b",
            ])
        #expect(Set(spy.messages) == ["belfry/default/host-b/state b"])
    }

    @Test func nobodyConnectsWithoutACertificateOrUnderAnotherName() async throws {
        let first = try client("host-a")
        try await loop.turn { first.broker.isConnected }
        var settings = BrokerSettings(
            host: "localhost", port: mosquitto.port, caFile: authority.file, clientID: "host-b")
        let stranger = try TestClient(settings, on: loop)
        // The client identifier of another host, which would throw that one out.
        settings.clientID = "host-a"
        (settings.certificateFile, settings.keyFile) = try authority.issue("host-b")
        let thief = try TestClient(settings, on: loop)

        try await loop.turn { thief.broker.isConnected && !stranger.reasons.isEmpty }

        #expect(stranger.connections == 0)
        #expect(try await mayPublish(thief, "belfry/default/host-b/state"))
        #expect(try await !mayPublish(thief, "belfry/default/host-a/state"))
        #expect(first.events == [.connected])
    }

    @Test func retainedMessagesSurviveACrashAndAreAllDelivered() async throws {
        // More than the 1,000 messages for which mosquitto has room by default.
        let count = 1200
        let host = try client("host-a")
        try await loop.turn { host.broker.isConnected }
        for number in 0..<count {
            let topic = "belfry/default/host-a/notification/n\(number)"
            try await loop.turn { host.publish(topic, "x", isRetained: true) != nil }
        }
        try await loop.turn { host.acknowledgements == count }
        try await loop.turn { mosquitto.hasStored("host-a/notification/n\(count - 1)") }

        mosquitto.kill()
        try mosquitto.start()
        let `operator` = try client("operator", subscribing: ["belfry/default/+/notification/+"])
        try await loop.turn { `operator`.messages.count == count }
    }
}
