// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
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
