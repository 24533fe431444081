// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import AsyncHTTPClient
import BelfryServer
import BelfryTesting
import LifecycleTesting
import Testing

/// TLS, and HTTP/2 on it, with a client that keeps its connections.
@MainActor struct TLSTests {
    nonisolated static let kinds: [HTTPFixture.Kind] = [.tls, .http2]

    @Test(arguments: kinds) func connectionIsKept(_ kind: HTTPFixture.Kind) async throws {
        let http = try await HTTPFixture(kind)
        try await HTTPClient.withHTTPClient(configuration: HTTPClient.trusting) { client in
            for _ in 1...3 {
                let received = try await client.get("/", at: http.address)
                #expect(received.body == "hello\n" && received.version == kind.version && received.connection == nil)
            }
            #expect(http.connectionCount == 1)
        }
    }

    /// Also one that ends when a client of HTTP/2 has answered that it knows of the end, which nothing shows.
    @Test(arguments: kinds, [0, 100]) func requestInFlightIsAnsweredInAPause(
        _ kind: HTTPFixture.Kind, milliseconds: Int
    ) async throws {
        let http = try await HTTPFixture(kind)
        try await HTTPClient.withHTTPClient(configuration: HTTPClient.trusting) { client in
            async let slow = client.get("/slow", at: http.address)
            try await http.test.until { http.gate.arrived == 1 }

            http.pause()
            #expect(http.state == .inactive)
            try await Task.sleep(for: .milliseconds(milliseconds))
            http.gate.open()

            let received = try await slow
            #expect(received.body == "slow\n" && received.version == kind.version)
            // HTTP/2 has no such header.
            #expect(received.connection == (kind == .tls ? "close" : nil))
            try await http.test.until { http.state == .background }
            #expect(http.connectionCount == 0)
        }
    }

    @Test(arguments: kinds) func idleConnectionIsClosedInAPause(
        _ kind: HTTPFixture.Kind
    ) async throws {
        let http = try await HTTPFixture(kind)
        try await HTTPClient.withHTTPClient(configuration: HTTPClient.trusting) { client in
            #expect(try await client.get("/", at: http.address).body == "hello\n")

            http.pause()
            try await http.test.until { http.state == .background }

            #expect(http.connectionCount == 0)
        }
        // Another client, because the first may not have noticed that its connection has ended.
        await http.test.script.run(.perform(.resume))
        let later = try await HTTPClient.withHTTPClient(configuration: HTTPClient.trusting) { client in
            try await client.get("/", at: http.address)
        }
        #expect(later.body == "hello\n")
    }

    @Test(arguments: kinds) func reloadMovesTheAddressAndKeepsConnections(
        _ kind: HTTPFixture.Kind
    ) async throws {
        let http = try await HTTPFixture(kind)
        let old = http.address
        try await HTTPClient.withHTTPClient(configuration: HTTPClient.trusting) { client in
            async let slow = client.get("/slow", at: old)
            try await http.test.until { http.gate.arrived == 1 }

            http.address = .random
            await http.test.script.run(.perform(.reload))
            #expect(try await client.get("/", at: http.address).body == "hello\n")
            #expect(http.connectionCount == 2)
            http.gate.open()

            #expect(try await slow.body == "slow\n")
            // The connection that was kept is still served.
            #expect(try await client.get("/", at: old).body == "hello\n")
            #expect(http.connectionCount == 2)
        }
    }
}
