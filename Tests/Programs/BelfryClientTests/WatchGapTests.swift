// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryEventLoop
import BelfryJSON
import CBelfry
import Glibc
import TestSupport
import Testing

/// A watch of a service that forgets notifications while the watch asks for them.
@Suite(.timeLimit(.minutes(2)))
final class WatchGapTests {
    private let loop: MainEventLoop
    private let folder: TemporaryDirectory
    private let listener: Int32
    private var connection: Int32 = -1
    private var events: [WatchEvent] = []

    init() throws {
        loop = try MainEventLoop()
        folder = try TemporaryDirectory()
        listener = belfry_unix_listen(folder.path("socket"), 4)
    }

    isolated deinit { for descriptor in [connection, listener] where descriptor >= 0 { close(descriptor) } }

    private func watch(_ names: [String] = [], after: Int64?) -> Watch {
        let watch = Watch(folder.path("socket"), names: names, after: after, on: loop) { [unowned self] in
            events.append($0)
        } onEnd: {
            Issue.record("\($0)")
        }
        watch.start()
        return watch
    }

    /// Waits for the next call, on a new connection if there is none, and returns its `after`.
    private func subscription() throws -> Int64? {
        var call: [UInt8] = []
        try loop.turn {
            if connection < 0 { connection = belfry_accept(listener) }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(connection, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            if count == 0 { hangUp() }
            call += bytes.prefix(max(0, count))
            return call.last == 0
        }
        return try JSONValue(json: Array(call.dropLast()))["parameters"]?["after"]?.intValue
    }

    private func reply(_ text: String) {
        send(connection, text + "\0", text.utf8.count + 1, Int32(MSG_NOSIGNAL))
    }

    private func state(_ sequence: Int64, id: String = "a") {
        reply(#"{"parameters":{"state":{"sequence":\#(sequence),"sequenceId":"\#(id)"}},"continues":true}"#)
    }

    private func notification(_ sequence: Int64) {
        reply(#"{"parameters":{"notification":{"sequence":\#(sequence)}},"continues":true}"#)
    }

    private func notRetained(_ oldest: Int64) {
        reply(#"{"error":"io.belfry.Lifecycle.NotRetained","parameters":{"oldest":\#(oldest)}}"#)
    }

    private func hangUp() {
        close(connection)
        connection = -1
    }

    @Test func aSecondRefusalMakesTheGapLonger() throws {
        let watch = watch(after: 7)
        _ = try subscription()
        notRetained(20)
        #expect(try subscription() == 19)
        notRetained(50)
        #expect(try subscription() == 49)
        state(60)
        try loop.turn { events.count == 2 }
        watch.stop()

        #expect(events.last == .missed(8...49))
    }

    /// The last notification of this name was number 5 of another count.
    @Test func aWatchOfSomeNamesNoticesThatTheServiceCountsAnew() throws {
        let watch = watch(["x"], after: nil)
        #expect(try subscription() == nil)
        state(4)
        notification(5)
        try loop.turn { events.count == 2 }
        hangUp()
        #expect(try subscription() == 5)
        state(50, id: "b")

        #expect(try subscription() == 0)
        watch.stop()
    }

    /// Whatever the service forgets or breaks off, each number after the first is shown or reported as missed, once, in order.
    @Test(arguments: 0..<40)
    func everyNumberIsShownOrMissed(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let first = Int64.random(in: 0...5, using: &random)
        let watch = watch(after: first)
        var (last, oldest, ends) = (first, Int64(1), 2)
        for _ in 0..<40 {
            let after = try #require(try subscription())
            last = max(last, after) + Int64.random(in: 0...20, using: &random)
            if Bool.random(using: &random) { oldest = max(oldest, last - Int64.random(in: 0...15, using: &random)) }
            // A connection that ends costs time.
            let isEnd = ends > 0 && Int.random(in: 0..<4, using: &random) == 0
            if isEnd { ends -= 1 }
            if after + 1 < oldest {
                notRetained(oldest)
            } else if !isEnd || Bool.random(using: &random) {
                state(last)
                for number in after..<Int64.random(in: after...last, using: &random) { notification(number + 1) }
                if !isEnd { reply(#"{"error":"io.belfry.Lifecycle.Overrun","parameters":{"dropped":1}}"#) }
            }
            if isEnd { hangUp() }
        }
        var after = try #require(try subscription())
        if after + 1 < oldest {
            notRetained(oldest)
            after = try #require(try subscription())
        }
        state(last)
        for number in after..<last { notification(number + 1) }
        try loop.turn { seen.count >= last - first }
        watch.stop()

        #expect(seen == (first..<last).map { $0 + 1 })
    }

    private var seen: [Int64] {
        events.flatMap { event -> [Int64] in
            switch event {
            case .missed(let range): Array(range)
            case .notification(let notification): [notification["sequence"]?.intValue ?? 0]
            case .state, .note: []
            }
        }
    }
}
