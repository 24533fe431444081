// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import BelfryEventLoop
import Glibc
import BelfryLinux
import TestSupport
import Testing
import Varlink

@Suite(.timeLimit(.minutes(1)))
struct VarlinkClientTests {
    let fixture: ServerFixture

    init() throws { fixture = try ServerFixture() }

    private func client() throws -> VarlinkClient { try VarlinkClient(fixture.path, on: fixture.loop) }

    @Test func callReturnsItsResult() throws {
        let client = try client()
        var results: [Result<JSONObject, VarlinkError>] = []

        for text in ["a", "b"] {
            client.call("org.example.test.Echo", ["text": .string(text)]) { results.append($0) }
        }
        client.oneway("org.example.test.Echo", ["text": "c"])
        client.call("org.example.test.None") { results.append($0) }
        try fixture.turn { results.count == 3 }

        #expect(results[0] == .success(["text": "a"]) && results[1] == .success(["text": "b"]))
        #expect(
            results[2]
                == .failure(
                    .failed(
                        name: "org.varlink.service.MethodNotFound", parameters: ["method": "org.example.test.None"])))
        #expect(fixture.calls == ["a", "b", "c"])
    }

    @Test func missingServerIsAnError() {
        let path = fixture.path + "-none"
        #expect(throws: VarlinkError.system(SystemError(ENOENT, verb: "connect to", object: path))) {
            try VarlinkClient(path, on: fixture.loop)
        }
        close(belfry_unix_listen(path, 1))
        #expect(throws: VarlinkError.system(SystemError(ECONNREFUSED, verb: "connect to", object: path))) {
            try VarlinkClient(path, on: fixture.loop)
        }
    }

    /// There is room for one: the connection, or what watches it.
    @Test func aClientWithoutRoomForItsDescriptorsLeavesNoneOpen() throws {
        let path = fixture.path
        var old = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
        let lowest = dup(0)
        close(lowest)
        var low = rlimit(rlim_cur: rlim_t(lowest) + 1, rlim_max: old.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
        let failure = #expect(throws: VarlinkError.self) { try VarlinkClient(path, on: fixture.loop) }
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)

        guard case .system(let error) = failure else { throw try #require(failure) }
        #expect(error.code == EMFILE)
        let next = dup(0)
        close(next)
        #expect(next == lowest)
    }

    /// More than are written at a time.
    @Test func aCloseSendsWhatIsQueued() throws {
        let client = try client()

        for number in 0..<400 { client.oneway("org.example.test.Echo", ["text": .string("\(number)")]) }
        client.close()
        try fixture.turn { fixture.calls.count == 400 }

        #expect(fixture.calls == (0..<400).map { "\($0)" })
    }

    @Test func callsFailWhenTheConnectionCloses() throws {
        let client = try client()
        var results: [Result<JSONObject, VarlinkError>] = []
        var ends: [VarlinkError] = []
        client.onClose = { ends.append($0) }

        client.call("org.example.test.Wait") { results.append($0) }
        client.call("org.example.test.Echo") { results.append($0) }
        try fixture.turn { fixture.waiting.count == 1 }
        fixture.server.close()
        try fixture.turn { client.isClosed }
        client.call("org.example.test.Echo") { results.append($0) }

        #expect(results == [.failure(.closed), .failure(.closed), .failure(.closed)])
        #expect(ends == [.closed])
    }

    @Test func closingTheClientEndsItsSubscription() throws {
        let client = try client()
        var results: [Result<VarlinkReply, VarlinkError>] = []
        client.more("org.example.test.Wait") { results.append($0) }
        try fixture.turn { fixture.waiting.count == 1 }

        client.close()
        try fixture.turn { !fixture.waiting[0].isActive }

        #expect(results == [.failure(.closed)])
    }

    @Test(
        arguments: [
            ("{", nil), ("{}", VarlinkProtocolError.unexpectedReply), (#"{"continues":true}"#, .unexpectedContinues),
            (#"{"x":1}"#, .unknownField("x")),
        ] as [(String, VarlinkProtocolError?)])
    func protocolViolationClosesTheClient(answer: String, error: VarlinkProtocolError?) throws {
        let path = fixture.path + "2"
        let listener = belfry_unix_listen(path, 1)
        defer { close(listener) }
        let client = try VarlinkClient(path, on: fixture.loop)
        let connection = belfry_accept(listener)
        defer { close(connection) }
        var results: [Result<JSONObject, VarlinkError>] = []

        if error != .unexpectedReply { client.call("a.b.C") { results.append($0) } }
        send(connection, answer, answer.utf8.count + 1, Int32(MSG_NOSIGNAL))
        var end: VarlinkError?
        client.onClose = { end = $0 }
        try fixture.turn { end != nil }

        guard case .protocolViolation(let seen) = end else {
            Issue.record("unexpected \(String(describing: end))")
            return
        }
        if let error { #expect(seen == error) }
        #expect(results.count == (error == .unexpectedReply ? 0 : 1))
    }

    @Test func taskWaitsForReplies() async throws {
        let client = try client()
        let pump = Task { @MainActor in
            while !Task.isCancelled {
                try fixture.loop.turn(waiting: .zero)
                await Task.yield()
            }
        }
        defer { pump.cancel() }

        let echo = try await client.call("org.example.test.Echo", ["text": "after"])

        #expect(echo == ["text": "after"])
        await #expect(throws: VarlinkError.failed(name: "org.varlink.service.ExpectedMore", parameters: [:])) {
            try await client.call("org.example.test.Count", ["to": 1])
        }
    }

    @Test func pausedClientReadsNoReplies() throws {
        let client = try client()
        var count = 0
        client.more("org.example.test.Wait") { _ in count += 1 }
        try fixture.turn { fixture.waiting.count == 1 }
        let padding = JSONValue.string(String(repeating: "z", count: 10_000))

        client.setPaused(true)
        for _ in 0..<100 { fixture.waiting[0].reply(["padding": padding], continues: true) }
        try fixture.loop.turnWithoutWaiting()
        #expect(count == 0 && fixture.waiting[0].queuedReplies > 0)
        client.setPaused(false)
        try fixture.turn { count == 100 }

        #expect(fixture.waiting[0].queuedReplies == 0)
    }

    /// The service sends replies and closes. Whatever the handlers do, each reply comes, and the end after them.
    @Test(arguments: 0..<300)
    func noReplyIsLostWhenTheServiceCloses(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let path = fixture.path + "2"
        let listener = belfry_unix_listen(path, 1)
        defer { close(listener) }
        let client = try VarlinkClient(path, on: fixture.loop)
        let connection = belfry_accept(listener)
        let total = Int.random(in: 1...40, using: &random)
        let padding = String(repeating: "z", count: [0, 100, 4000].randomElement(using: &random) ?? 0)
        var (numbers, end): ([Int64], VarlinkError?) = ([], nil)
        var isPaused = false
        client.onClose = { end = $0 }
        client.more("org.example.Count") {
            guard case .success(let reply) = $0 else { return }
            numbers.append(reply.parameters["number"]?.intValue ?? 0)
            #expect(end == nil)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: client.flush()
            case 1:
                client.oneway("org.example.Go")
                client.flush()
            case 2:
                isPaused = true
                client.setPaused(true)
            default: break
            }
        }

        var closeAt = Int.random(in: 0...total, using: &random)
        for number in 1...total {
            let reply = #"{"parameters":{"number":\#(number),"text":"\#(padding)"},"continues":true}"# + "\0"
            #expect(send(connection, reply, reply.utf8.count, Int32(MSG_NOSIGNAL)) == reply.utf8.count)
            closeAt -= 1
            if closeAt < 0, Bool.random(using: &random) { try fixture.loop.turn(waiting: .zero) }
        }
        close(connection)
        try fixture.turn {
            if isPaused {
                isPaused = Bool.random(using: &random)
                client.setPaused(isPaused)
            }
            return end != nil
        }

        #expect(numbers == Array(1...Int64(total)))
    }

    @Test func replyMayExceedTheMessageLimitOfAServer() throws {
        let end = try end(ofReply: 2 * VarlinkLimits().messageSize, to: client())

        #expect(end == nil)
    }

    @Test func replyBeyondTheLimitClosesTheConnection() throws {
        let client = try VarlinkClient(fixture.path, on: fixture.loop, longestReply: 1000)

        #expect(try end(ofReply: 500, to: client) == nil)
        #expect(try end(ofReply: 1001, to: client) == .protocolViolation(.tooLarge(1000)))
    }

    /// The error of a client for a reply with a text of that length; nil if it accepts the reply.
    private func end(ofReply length: Int, to client: VarlinkClient) throws -> VarlinkError? {
        let text = JSONValue.string(String(repeating: "z", count: length))
        var result: Result<JSONObject, VarlinkError>?
        client.call("org.example.test.Wait") { result = $0 }
        try fixture.turn { fixture.waiting.last?.isActive ?? false }

        fixture.waiting.last?.reply(["text": text])
        try fixture.turn { result != nil }

        switch result {
        case .failure(let error): return error
        case .success(let reply): #expect(reply == ["text": text])
        case nil: break
        }
        return nil
    }
}
