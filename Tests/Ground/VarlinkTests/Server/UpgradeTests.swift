// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc
import TestSupport
import Testing
import Varlink

@Suite(.timeLimit(.minutes(1)))
struct UpgradeTests {
    let fixture: ServerFixture
    private let method = "org.example.test.Become"

    init() throws { fixture = try ServerFixture() }

    private func call(_ name: String = "echo") -> VarlinkCall {
        VarlinkCall(method, ["protocol": .string(name)], mode: .upgrade)
    }

    @Test func upgradedConnectionIsNotReadByTheServer() throws {
        let peer = try fixture.peer()
        peer.write(VarlinkCall("org.example.test.Echo", ["text": "before"]))
        peer.write(call())
        #expect(
            try fixture.receive(2, peer) == [
                #"{"parameters":{"text":"before"}}"#, #"{"parameters":{"protocol":"echo"}}"#,
            ])
        try fixture.turn { fixture.upgraded.count == 1 }
        let connection = fixture.upgraded[0]
        defer { close(connection.descriptor) }
        #expect(fixture.server.connectionCount == 0)

        peer.write(Array("no JSON".utf8) + [0])
        try fixture.loop.turnWithoutWaiting()

        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(read(connection.descriptor, &buffer, 100) == 8)
        #expect(!peer.isAtEnd)
    }

    @Test func bytesAfterTheCallArePassedOn() throws {
        let peer = try fixture.peer()
        // Longer than a message may be.
        let data = [UInt8](repeating: UInt8(ascii: "x"), count: 30_000)

        peer.write(call().message + data)
        try fixture.turn { fixture.upgraded.count == 1 }

        defer { close(fixture.upgraded[0].descriptor) }
        var received = fixture.upgraded[0].received
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(fixture.upgraded[0].descriptor, &buffer, buffer.count)
        received += buffer[..<max(count, 0)]
        #expect(received == data)
        #expect(fixture.problems.isEmpty)
    }

    @Test func refusedUpgradeKeepsTheVarlinkConnection() throws {
        let peer = try fixture.peer()

        peer.write(call("gopher"))
        peer.write(VarlinkCall("org.example.test.Echo", ["text": "after"]))

        #expect(
            try fixture.receive(2, peer) == [
                #"{"error":"org.example.test.Refused","parameters":{"why":"unknown protocol"}}"#,
                #"{"parameters":{"text":"after"}}"#,
            ])
        #expect(fixture.upgraded.isEmpty)
    }

    @Test func upgradeFlagMustMatchTheMethod() throws {
        let peer = try fixture.peer()

        peer.write(VarlinkCall(method, ["protocol": "echo"]))
        peer.write(VarlinkCall("org.example.test.Echo", mode: .upgrade))

        #expect(
            try fixture.receive(2, peer) == [
                #"{"error":"org.varlink.service.ExpectedUpgrade"}"#,
                #"{"error":"org.varlink.service.MethodNotImplemented","#
                    + #""parameters":{"method":"org.example.test.Echo"}}"#,
            ])
    }

    @Test func upgradedClientPassesItsDescriptorOn() throws {
        let client = try VarlinkClient(fixture.path, on: fixture.loop)
        var ends: [VarlinkUpgradedConnection] = []
        var later: Result<JSONObject, VarlinkError>?

        client.upgrade(method, ["protocol": "echo"]) {
            if case .success((["protocol": "echo"], let connection)) = $0 { ends.append(connection) }
        }
        client.call("org.example.test.Echo") { later = $0 }
        try fixture.turn { ends.count == 1 && fixture.upgraded.count == 1 }

        defer { for end in ends + fixture.upgraded { close(end.descriptor) } }
        #expect(client.isClosed)
        #expect(later == .failure(.closed))
        #expect(write(fixture.upgraded[0].descriptor, "hello", 5) == 5)
        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(read(ends[0].descriptor, &buffer, 100) == 5)
    }

    @Test func refusedUpgradeKeepsTheClientOpen() throws {
        let client = try VarlinkClient(fixture.path, on: fixture.loop)
        var error: VarlinkError?
        var later: Result<JSONObject, VarlinkError>?

        client.upgrade(method, ["protocol": "gopher"]) { if case .failure(let failure) = $0 { error = failure } }
        client.call("org.example.test.Echo", ["text": "after"]) { later = $0 }
        try fixture.turn { later != nil }

        #expect(error == .failed(name: "org.example.test.Refused", parameters: ["why": "unknown protocol"]))
        #expect(later == .success(["text": "after"]))
    }
}
