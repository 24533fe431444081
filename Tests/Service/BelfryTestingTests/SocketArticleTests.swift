// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServer
import BelfryTesting
import Glibc
import Testing

/// The tests in the article, verbatim. They run in parallel, each with a loop, a socket and clients of its own.
@Suite(.timeLimit(.minutes(1)))
struct SocketArticleTests {
    @Test func answersWhileTheServiceIsActive() async throws {
        let socket = try TestSocket()
        let test = try TestService(descriptors: [("lines", socket.copy())]) { service in
            try service.mediator.addListener(LineListener(service))
        }
        await test.script.run(.perform(.launch))

        let client = try socket.connect()
        try client.send("ping\n")
        try await test.until { client.text == "hello\nPING\n" }
    }

    @Test func clientsWaitDuringAPause() async throws {
        let socket = try TestSocket()
        let test = try TestService(descriptors: [("lines", socket.copy())]) { service in
            try service.mediator.addListener(LineListener(service))
        }
        let before = try socket.connect()
        await test.script.run(.perform(.launch))
        try await test.until { before.text == "hello\n" }

        await test.script.run(.perform(.pause))
        try await test.until { before.isEnded }
        let during = try socket.connect()
        try during.send("ping\n")

        await test.script.run(.perform(.resume))
        try await test.until { during.text == "hello\nPING\n" }
        #expect(test.script.problems == [])
    }

    @Test func greetsAsItIsConfigured() async throws {
        let socket = try TestSocket()
        let test = try TestService(settings: "[Lines]\nGreeting=welcome\n", descriptors: [("lines", socket.copy())]) {
            try $0.mediator.addListener(LineListener($0))
        }
        await test.script.run(.perform(.launch))
        let first = try socket.connect()
        try await test.until { first.text == "welcome\n" }

        try test.replaceSettings("[Lines]\nGreeting=good morning\n")
        await test.script.run(.perform(.reload))

        let second = try socket.connect()
        try await test.until { second.text == "good morning\n" }
    }

    @Test func acceptedClientIsServedInAPause() async throws {
        let socket = try TestSocket()
        var server: ConnectionServer?
        let test = try TestService(descriptors: [("lines", socket.copy())]) { service in
            let made = ConnectionServer(service, at: .systemd("lines")) { connection in
                try connection.watch { _ in
                    var byte: UInt8 = 0
                    if recv(connection.descriptor, &byte, 1, 0) == 1 { send(connection.descriptor, &byte, 1, 0) }
                    connection.end()
                }
                return {}
            }
            try service.mediator.addListener(made)
            server = made
        }
        await test.script.run(.perform(.launch))
        let accepted = try socket.connect()
        try await test.until { server?.connectionCount == 1 }

        await test.script.run(.perform(.pause))
        #expect(test.service.mediator.pending == ["connections of server"])
        try accepted.send("x")
        try await test.until { accepted.text == "x" && test.service.mediator.state == .background }

        let waiting = try socket.connect()
        try waiting.send("y")
        await test.script.run(.perform(.resume))
        try await test.until { waiting.text == "y" }
    }

    @Test func workThatFailsBeginsAgain() async throws {
        let (jobs, queue) = AsyncStream.makeStream(of: Int.self)
        var runs = 0
        let test = try TestService {
            try $0.addWorker("jobs", relaunch: WorkerRelaunch(delay: .seconds(2))) {
                runs += 1
                for await job in jobs { throw LifecycleRefusal("unable to do job \(job)") }
            }
        }
        await test.script.run(.perform(.launch))

        queue.yield(1)
        try await test.until { !test.service.mediator.checkHealth().isEmpty }
        await test.script.run(.advance(.seconds(2)))

        try await test.until { runs == 2 }
        await test.script.run(.perform(.stop))
    }

    @Test func refusesToLaunchWithoutASocket() async throws {
        let test = try TestService { try $0.mediator.addListener(LineListener($0)) }

        await test.script.run(.perform(.launch))

        #expect(test.script.problems == ["didFinishLaunching: LineListener: no socket 'lines'"])
        #expect(test.service.mediator.state == .notRunning)
    }
}
