// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryTesting
import Testing

/// HTTP/1.1 with a client that sends its requests as text.
@MainActor struct HTTP1Tests {
    private let socket: TestSocket
    private let http: HTTPFixture
    private let client: TestClient

    init() async throws {
        socket = try TestSocket()
        http = try await HTTPFixture(on: socket)
        client = try socket.connect()
    }

    private func get(_ path: String) throws { try client.send("GET \(path) HTTP/1.1\r\nHost: test\r\n\r\n") }

    @Test func connectionIsKept() async throws {
        try get("/")
        try await http.test.until { client.text.hasSuffix("hello\n") }
        try get("/")

        try await http.test.until { client.text.ranges(of: "HTTP/1.1 200 OK").count == 2 }
        #expect(client.text.ranges(of: "hello\n").count == 2 && !client.text.contains("close"))
        #expect(http.connectionCount == 1 && !client.isEnded)
    }

    @Test func requestInFlightIsAnsweredInAPauseAndSaysThatItIsTheLast() async throws {
        try get("/slow")
        try await http.test.until { http.gate.arrived == 1 }

        http.pause()
        #expect(http.state == .inactive)
        http.gate.open()
        try await http.test.until { client.isEnded && http.state == .background }

        #expect(client.text.contains("Connection: close\r\n") && client.text.hasSuffix("\r\n\r\nslow\n"))
        #expect(http.connectionCount == 0)
    }

    @Test func requestThatIsOnItsWayAtAPauseIsAnswered() async throws {
        try get("/")
        try await http.test.until { client.text.hasSuffix("hello\n") }

        http.pause()
        try get("/")
        try await http.test.until { client.isEnded }

        #expect(client.text.ranges(of: "hello\n").count == 2 && client.text.ranges(of: "Connection: close").count == 1)
        try await http.test.until { http.state == .background }
    }

    @Test func idleConnectionIsClosedInAPause() async throws {
        try get("/")
        try await http.test.until { client.text.hasSuffix("hello\n") }
        let received = client.text

        http.pause()
        try await http.test.until { client.isEnded && http.state == .background }

        #expect(client.text == received)
    }

    @Test func clientOfAPauseIsServedAfterIt() async throws {
        http.pause()
        try await http.test.until { http.state == .inactive || http.state == .background }
        let later = try socket.connect()
        try later.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
        try await http.test.until { http.state == .background }

        await http.test.script.run(.perform(.resume))

        try await http.test.until { later.text.hasSuffix("hello\n") }
    }

    @Test func eachRequestHasAnIdentifier() async throws {
        try get("/identifier")
        try await http.test.until {
            client.text.ranges(of: "HTTP/1.1 200 OK").count == 1 && !client.text.hasSuffix("\r\n")
        }
        let first = client.text
        try get("/identifier")
        try await http.test.until {
            client.text.ranges(of: "HTTP/1.1 200 OK").count == 2 && !client.text.hasSuffix("\r\n")
        }

        let identifiers = [first, String(client.text.dropFirst(first.count))].map {
            $0.split(separator: "\r\n\r\n").last
        }
        #expect(identifiers.allSatisfy { ($0?.count ?? 0) > 16 } && identifiers[0] != identifiers[1])
    }

    @Test func errorIsLoggedAndAnsweredWith500() async throws {
        try get("/failure")
        try await http.test.until { client.text.hasPrefix("HTTP/1.1 500 ") }

        try get("/")

        try await http.test.until { client.text.hasSuffix("hello\n") }
        #expect(http.logged.texts == ["error unable to answer"])
    }

    @Test func malformedBodyIsAnsweredOnce() async throws {
        try client.send(
            "POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nnonsense\r\n")

        try await http.test.until { client.isEnded }

        #expect(client.text.ranges(of: "HTTP/1.1 ").count == 1)
    }

    /// It has received the end of the connection, and keeps its own side open.
    @Test func clientThatSentNonsenseAndStaysDelaysNoPause() async throws {
        try client.send("nonsense\r\n\r\n")
        try await http.test.until { client.text.hasPrefix("HTTP/1.1 400 ") && client.isEnded }
        #expect(http.connectionCount == 1)

        http.pause()

        try await http.test.until { http.state == .background }
    }
}
