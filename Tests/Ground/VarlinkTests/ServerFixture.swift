// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Foundation
import BelfryLinux
import TestSupport
import Varlink

/// A server with a few methods on a private socket, on a loop that the test turns.
final class ServerFixture {
    static let description = """
        # For the tests.
        interface org.example.test

        type Point (x: int, y: ?int)

        # Answers what it was given.
        method Echo(text: ?string, point: ?Point) -> (text: ?string, point: ?Point)
        # Answers when the test says so.
        method Wait(text: ?string) -> (turn: int)
        # Answers when the test says so.
        method Keep(list: ?[]object) -> ()
        # Never answers.
        method Forget() -> ()
        # Answers many times.
        method Count(to: int) -> (number: int)
        # Has no implementation.
        method Missing() -> ()

        error Refused (why: string)

        """

    private final class Recorded {
        var problems: [VarlinkProblem] = []
    }

    let directory: TemporaryDirectory
    let path: String
    let loop: MainEventLoop
    let server: VarlinkServer
    private let recorded = Recorded()
    var problems: [VarlinkProblem] { recorded.problems }
    var waiting: [VarlinkRequest] = []
    private(set) var calls: [String] = []

    init(limits: VarlinkLimits = VarlinkLimits(), listening: Bool = true) throws {
        directory = try TemporaryDirectory()
        path = directory.path("socket")
        loop = try MainEventLoop()
        let info = VarlinkServiceInfo(vendor: "Example", product: "Test", version: "1", url: "https://example.org")
        server = try VarlinkServer(info, on: loop, limits: limits) { [recorded] in recorded.problems.append($0) }
        try server.add(interface())
        if listening { try server.listen(on: path) }
    }

    isolated deinit { server.close() }

    private func interface() throws -> VarlinkInterface {
        try VarlinkInterface(
            Self.description,
            methods: [
                "Echo": { [unowned self] request in
                    calls.append(request.parameters["text"]?.stringValue ?? "")
                    request.reply(request.parameters)
                },
                "Wait": { [unowned self] in waiting.append($0) },
                "Keep": { [unowned self] in waiting.append($0) },
                "Forget": { _ in },
                "Count": { request in
                    guard request.wantsMore else { return request.fail(.expectedMore) }
                    let end = request.parameters["to"]?.intValue ?? 0
                    if end < 0 { return request.fail("org.example.test.Refused", ["why": "negative"]) }
                    for number in 1..<max(end, 1) { request.reply(["number": .int(number)], continues: true) }
                    request.reply(["number": .int(end)])
                },
            ])
    }

    func peer() throws -> Peer { try Peer(path) }

    func turn(until condition: () -> Bool) throws { try loop.turn(until: condition) }

    /// Turns the loop until the peer has this many replies.
    func receive(_ count: Int, _ peer: Peer) throws -> [String] {
        try turn {
            peer.read()
            return peer.received.count >= count
        }
        return peer.received
    }

    /// Turns the loop until the peer sees the end of its connection.
    func waitForEnd(_ peer: Peer) throws {
        try turn {
            peer.read()
            return peer.isAtEnd
        }
    }
}
