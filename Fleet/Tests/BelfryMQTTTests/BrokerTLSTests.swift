// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryMQTT
import Foundation
import FleetTestSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BrokerTLSTests {
    let loop: MainEventLoop
    let authority: CertificateAuthority

    init() throws {
        loop = try MainEventLoop()
        authority = try CertificateAuthority()
    }

    /// A broker with a certificate for these names, that asks for certificates of `authority`.
    private func broker(names: String = "DNS:localhost", _ more: String = "") throws -> Mosquitto {
        let (certificate, key) = try authority.issue("broker", names: names)
        return try Mosquitto(
            """
            listener PORT 127.0.0.1
            allow_anonymous true
            cafile \(authority.file)
            certfile \(certificate)
            keyfile \(key)
            \(more)
            """)
    }

    private func settings(_ mosquitto: Mosquitto) -> BrokerSettings {
        BrokerSettings(host: "localhost", port: mosquitto.port, caFile: authority.file, clientID: "a")
    }

    private func reason(_ settings: BrokerSettings) async throws -> String? {
        let client = try TestClient(settings, on: loop)
        try await loop.turn { !client.events.isEmpty }
        guard case .disconnected(let reason)? = client.events.first else { return nil }
        let beginning = "unable to connect to '\(settings.host):\(settings.port)': "
        #expect(reason.hasPrefix(beginning))
        return String(reason.dropFirst(beginning.count))
    }

    /// Expects a connection to fail for this reason, or to be made.
    private func expect(_ settings: BrokerSettings, _ expected: String?, _ place: SourceLocation = #_sourceLocation)
        async throws
    {
        let reason = try await reason(settings)
        #expect(reason == expected, sourceLocation: place)
    }

    @Test func messagesGoThroughTLS() async throws {
        let mosquitto = try broker()
        let client = try TestClient(settings(mosquitto), on: loop, subscribing: ["x"])
        try await loop.turn { client.broker.isConnected }

        let text = String(repeating: "long ", count: 20_000)
        for number in 0..<40 { client.publish("x", "\(number) \(text)") }
        try await loop.turn { client.messages.count == 40 && client.acknowledgements == 40 }
        var hasEnded = false
        client.broker.disconnect(within: .seconds(30)) { hasEnded = true }
        try await loop.turn { hasEnded }

        #expect(client.messages == (0..<40).map { "x \($0) \(text)" })
        #expect(client.reasons == [])
    }

    @Test func certificateOfAnotherAuthorityIsRefused() async throws {
        let mosquitto = try broker()
        var settings = settings(mosquitto)
        let other = try CertificateAuthority()
        settings.caFile = other.file

        try await expect(settings, "certificate verify failed")
        settings.caFile = nil
        try await expect(settings, "certificate verify failed")
    }

    @Test func certificateForAnotherNameIsRefused() async throws {
        let mosquitto = try broker(names: "DNS:other.example,IP:127.0.0.2")
        var settings = settings(mosquitto)

        try await expect(settings, "host name verification failed, certificate verify failed")
        settings.host = "127.0.0.1"
        try await expect(settings, "host name verification failed, certificate verify failed")
    }

    @Test func certificateForTheAddressIsAccepted() async throws {
        let mosquitto = try broker(names: "IP:127.0.0.1")
        var settings = settings(mosquitto)
        settings.host = "127.0.0.1"

        try await expect(settings, nil)
    }

    @Test func brokerMayRequireACertificate() async throws {
        let mosquitto = try broker("require_certificate true\nuse_identity_as_username true")
        var settings = settings(mosquitto)
        let none = try await reason(settings)
        let other = try CertificateAuthority()
        (settings.certificateFile, settings.keyFile) = try other.issue("a")
        let wrong = try await reason(settings)

        // The broker refuses after our part of the handshake. If it is quick, it has closed before we write, which fails then.
        let closed = "the broker closed the connection"
        #expect(none == "tlsv13 alert certificate required" || none == closed)
        #expect(wrong == "tlsv1 alert unknown ca" || wrong == closed)
    }

    @Test func certificateAndPasswordAreUsed() async throws {
        let directory = try TemporaryDirectory()
        // mosquitto_passwd(1) of "secret word".
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/mosquitto_passwd")
        process.arguments = ["-b", "-c", directory.path("users"), "user", "secret word"]
        try process.run()
        process.waitUntilExit()
        let mosquitto = try broker(
            "require_certificate true\nallow_anonymous false\npassword_file \(directory.path("users"))"
                .replacing("allow_anonymous true\n", with: ""))
        var settings = settings(mosquitto)
        (settings.certificateFile, settings.keyFile) = try authority.issue("a")
        settings.user = "user"
        settings.passwordFile = try directory.write("password", "secret word\n")
        try await expect(settings, nil)

        settings.passwordFile = try directory.write("wrong", "secret\n")
        try await expect(settings, "the broker says: Not authorized")
    }

    @Test func missingFilesAreNamed() async throws {
        let directory = try TemporaryDirectory()
        var settings = BrokerSettings(host: "localhost", port: 1, clientID: "a")
        for key in [\BrokerSettings.caFile, \.certificateFile, \.keyFile, \.passwordFile] {
            settings[keyPath: key] = directory.path("none")
            let reason = try await reason(settings)
            #expect(reason == "unable to read '\(directory.path("none"))': No such file or directory (ENOENT)")
            settings[keyPath: key] = nil
        }
        settings.certificateFile = authority.file
        try await expect(
            settings, "unable to set the certificates of the connection: Invalid function arguments provided")
        settings.keyFile = settings.certificateFile
        #expect(try await reason(settings) != nil)
    }

    @Test func filesAreReadAgainForEachAttempt() async throws {
        let mosquitto = try broker("require_certificate true")
        let directory = try TemporaryDirectory()
        var settings = settings(mosquitto)
        (settings.certificateFile, settings.keyFile) = (directory.path("certificate"), directory.path("key"))
        let client = try TestClient(settings, on: loop)
        try await loop.turn { !client.reasons.isEmpty }

        let (certificate, key) = try authority.issue("a")
        try FileManager.default.copyItem(atPath: key, toPath: directory.path("key"))
        try FileManager.default.copyItem(atPath: certificate, toPath: directory.path("certificate"))
        try await loop.turn { client.broker.isConnected }
    }
}
