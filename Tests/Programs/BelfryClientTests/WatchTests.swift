// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import BelfryClient
import CBelfry
import BelfryEventLoop
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct WatchTests {
    @Test func watchReconnectsAfterATruncatedMessage() throws {
        let loop = try MainEventLoop()
        let folder = try TemporaryDirectory()
        let listener = belfry_unix_listen(folder.path("socket"), 1)
        defer { close(listener) }
        var isSeen = false
        var notes: [String] = []
        var failure: ClientFailure?
        let watch = Watch(folder.path("socket"), names: [], on: loop) { event in
            switch event {
            case .state: isSeen = true
            case .notification, .missed: break
            case .note(let text): notes.append(text)
            }
        } onEnd: {
            failure = $0
        }
        watch.start()
        let connection = belfry_accept(listener)

        let beginning = #"{"parameters":{"state":{"state":"active","sequence":1}},"continues":true}"# + "\0" + #"{"par"#
        send(connection, beginning, beginning.utf8.count, Int32(MSG_NOSIGNAL))
        try loop.turn { isSeen }
        close(connection)
        try loop.turn { failure != nil || !notes.isEmpty }
        watch.stop()

        #expect(notes == ["the service closed the connection, waiting for it to return"])
        #expect(failure == nil)
    }

    /// A service closes each new connection of a user who has too many.
    @Test func attemptsThatFailAreReportedOnce() throws {
        let loop = try MainEventLoop()
        let folder = try TemporaryDirectory()
        let listener = belfry_unix_listen(folder.path("socket"), 1)
        defer { close(listener) }
        var notes: [String] = []
        let watch = Watch(folder.path("socket"), names: [], on: loop) { event in
            if case .note(let text) = event { notes.append(text) }
        } onEnd: { _ in
        }
        watch.start()

        for _ in 1...4 {
            var connection: Int32 = -1
            try loop.turn {
                connection = belfry_accept(listener)
                return connection >= 0
            }
            close(connection)
        }
        watch.stop()

        #expect(notes == ["the service closed the connection, waiting for it to return"])
    }

    /// Which event the handler stops the watch at: the state, before which the watch knew that some are missed, or the note before
    /// the second state.
    @Test(arguments: [(1, "state"), (3, "reconnected")])
    func nothingIsReportedAfterAStopWithinAReport(stopAt: Int, last: String) throws {
        let loop = try MainEventLoop()
        let folder = try TemporaryDirectory()
        let listener = belfry_unix_listen(folder.path("socket"), 1)
        var connection: Int32 = -1
        defer { for descriptor in [listener, connection] { close(descriptor) } }
        var events: [String] = []
        var watch: Watch?
        watch = Watch(folder.path("socket"), names: [], after: 1, on: loop) { event in
            switch event {
            case .state: events.append("state")
            case .notification: events.append("notification")
            case .missed: events.append("missed")
            case .note(let text): events.append(text)
            }
            if events.count == stopAt { watch?.stop() }
        } onEnd: {
            Issue.record("\($0)")
        }
        watch?.start()

        if stopAt > 1 {
            try accept(listener, &connection, on: loop)
            send(connection, Self.state, Self.state.utf8.count, Int32(MSG_NOSIGNAL))
            try loop.turn { events.count == 1 }
            close(connection)
        }
        try accept(listener, &connection, on: loop)
        let gap = #"{"error":"io.belfry.Lifecycle.NotRetained","parameters":{"oldest":5}}"# + "\0"
        let replies = (stopAt > 1 ? "" : gap) + Self.state
        send(connection, replies, replies.utf8.count, Int32(MSG_NOSIGNAL))
        for _ in 0..<20 { try loop.turn(waiting: .milliseconds(5)) }

        #expect(events.count == stopAt && events.last == last)
    }

    private static let state = #"{"parameters":{"state":{"state":"active","sequence":9}},"continues":true}"# + "\0"

    private func accept(_ listener: Int32, _ connection: inout Int32, on loop: MainEventLoop) throws {
        var accepted: Int32 = -1
        try loop.turn {
            accepted = belfry_accept(listener)
            return accepted >= 0
        }
        connection = accepted
    }

    @Test func delayGrowsUntilAConnectionLasts() {
        var delay = RetryDelay()

        let failed = (0..<9).map { _ in delay.next(nil) }
        let short = delay.next(.seconds(1))
        let long = delay.next(.seconds(5))

        #expect(failed == [50, 100, 200, 400, 800, 1600, 2000, 2000, 2000].map { .milliseconds($0) })
        #expect(short == .seconds(2))
        #expect(long == .milliseconds(50))
    }
}
