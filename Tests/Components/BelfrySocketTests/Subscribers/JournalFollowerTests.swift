// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryEventLoop
import Lifecycle
import BelfrySystemd
import BelfryListeners
import BelfrySocket
import TestSupport
import Testing
import Varlink

/// Notifications that are no longer in memory come from the journal.
@Suite(.timeLimit(.minutes(5)))
struct JournalFollowerTests {
    private let journal: JournalFixture
    private let fixture: SocketFixture
    private let records = RecordingWriter()
    private let logger: LoggerListener

    init() throws {
        journal = try JournalFixture()
        fixture = try SocketFixture(
            series: JournalSeries(id: "c0c0", uid: 995, bootID: "b007", files: .directory(journal.path))
        ) {
            $0.replayMax = 16
            $0.replaySize = 64 << 10
            $0.queueSizeMax = 1 << 20
        }
        logger = LoggerListener(
            mediator: fixture.mediator, log: ServiceLog { [records] _ in records }, counter: "c0c0")
        // The launch was before the logger.
        try write(
            (1...3).map { number in
                [
                    ("BELFRY_SEQUENCE", "\(number)"), ("BELFRY_NOTIFICATION", "launch"), ("BELFRY_STATE", "active"),
                    ("BELFRY_PREVIOUS_STATE", "active"), ("BELFRY_ORIGIN", "service"), ("BELFRY_REALTIME_USEC", "1"),
                    ("BELFRY_MONOTONIC_USEC", "1"), ("BELFRY_SEQUENCE_ID", "c0c0"),
                ]
            })
    }

    private var mediator: LifecycleMediator { fixture.mediator }

    private func write(_ records: [JournalFixture.Record]) throws {
        try journal.write(records.map { $0 + [("_UID", "995")] })
    }

    /// Writes the records of the logger to the journal.
    private func flushLog(except missing: Range<Int> = 0..<0) throws {
        try write(
            records.records.enumerated().filter { !missing.contains($0.offset) }.map {
                JournalFixture.record($0.element.fields.bytes[...])
            })
    }

    private func post(_ count: Int) { for _ in 0..<count { mediator.post(.flushRequested) } }

    /// Turns the loop until `condition` holds, and lets the main queue run, on which work of other threads ends.
    private func turn(_ fixture: SocketFixture, until condition: () -> Bool) async throws {
        while !condition() {
            try fixture.loop.turn(waiting: .milliseconds(1))
            await Task.yield()
        }
    }

    private func numbers(_ recorder: ReplyRecorder) -> [Int64?] {
        recorder.replies.dropFirst().map { $0["notification"]?["sequence"]?.intValue }
    }

    @Test func replayedNotificationEqualsTheOriginal() async throws {
        let live = try fixture.more("Subscribe", [:])
        try await turn(fixture) { live.replies.count == 1 }
        let peer = PeerOrigin(pid: 7, uid: 1000, unit: "a.service", command: "curl \"x\"")
        let origins: [LifecycleOrigin] = [
            .service, .peer(peer), .peer(PeerOrigin(pid: 0, uid: 1)),
            .signal(SignalOrigin(number: 2, name: "SIGINT", pid: 0, uid: 0, sender: .kernel)),
            .signal(SignalOrigin(number: 39, name: "SIGRTMIN+5", pid: 0, uid: 0, value: -7)),
            .signal(SignalOrigin(number: 1, name: "SIGHUP", pid: 3, uid: 4, unit: "b", command: "c", value: 5)),
        ]
        let infos: [UserInfo] = [
            [:], ["a": .null, "b": true, "c": .int(.max), "d": 1.5, "e": -0.0, "f": 1e300, "g": 3.0],
            ["text": "ü\u{1F514}\t\"\\/\u{7F}", "": "", "deep": [["x": [[:], [], "y"]]]],
            ["long": .string(String(repeating: "0123456789", count: 20_000))],
        ]
        for origin in origins {
            for info in infos { mediator.post(.flushRequested, userInfo: info, origin: origin) }
            mediator.perform(.pause, origin: origin)
            mediator.perform(.resume, origin: origin)
            try fixture.loop.turnWithoutWaiting()
        }
        post(600)
        let last = Int64(mediator.lastSequence)
        try await turn(fixture) { numbers(live).last == last || live.isOver }
        try flushLog()

        let replay = try fixture.more("Subscribe", ["after": 3])
        try await turn(fixture) { numbers(replay).last == last || replay.isOver }

        #expect(replay.replies.dropFirst().elementsEqual(live.replies.dropFirst()))
        // The fields have the same order too, because clients may show them.
        #expect(
            replay.replies.dropFirst().map { JSONValue.object($0).description }
                == live.replies.dropFirst().map { JSONValue.object($0).description })
    }

    @Test func replayContinuesFromMemoryAfterTheJournal() async throws {
        post(2000)
        try flushLog()

        let replay = try fixture.more("Subscribe", ["after": 0])
        try await turn(fixture) { replay.replies.count > 100 }
        post(100)
        try await turn(fixture) { numbers(replay).count == 2103 || replay.isOver }
        post(1)
        try await turn(fixture) { numbers(replay).count == 2104 || replay.isOver }

        #expect(numbers(replay) == Array(1...2104))
        #expect(replay.replies[0]["state"]?["state"] == "active")
    }

    @Test func gapIsRefusedBeforeAnyReply() async throws {
        post(2000)
        try flushLog(except: 500..<510)

        let refused = try fixture.more("Subscribe", ["after": 3])
        try await turn(fixture) { refused.isOver }
        let granted = try fixture.more("Subscribe", ["after": 513])
        try await turn(fixture) { numbers(granted).last == 2003 || granted.isOver }

        #expect(refused.error == "io.belfry.Lifecycle.NotRetained")
        #expect(refused.errorParameters == ["oldest": 514])
        #expect(refused.replies.isEmpty)
        #expect(numbers(granted) == Array(514...2003))
    }

    @Test func namesAreFilteredInTheJournal() async throws {
        post(1000)
        mediator.post(.statusRequested)
        post(1000)
        try flushLog()

        let replay = try fixture.more("Subscribe", ["after": 3, "names": ["statusRequested"]])
        try await turn(fixture) { numbers(replay).count == 1 || replay.isOver }
        mediator.post(.statusRequested)
        try await turn(fixture) { numbers(replay).count == 2 || replay.isOver }

        #expect(numbers(replay) == [1004, 2005])
    }

    @Test func slowReaderDelaysNoOtherReplay() async throws {
        let filler = JSONValue.string(String(repeating: "x", count: 10 << 10))
        for _ in 0..<500 { mediator.post(.flushRequested, userInfo: ["filler": filler]) }
        try flushLog()
        let sleeper = try fixture.more("Subscribe", ["after": 3])
        try await turn(fixture) { sleeper.replies.count > 1 }
        sleeper.client.isPaused = true

        let other = try fixture.more("Subscribe", ["after": 3])
        try await turn(fixture) { numbers(other).last == 503 || other.isOver }
        let before = sleeper.replies.count
        sleeper.client.isPaused = false
        try await turn(fixture) { numbers(sleeper).last == 503 || sleeper.isOver }

        #expect(before < 250)
        #expect(numbers(sleeper) == Array(4...503))
    }

    @Test func disconnectingClientsDoNotAffectOthers() async throws {
        post(3000)
        try flushLog()
        for _ in 0..<20 {
            let fleeting = try fixture.more("Subscribe", ["after": 3])
            try fixture.loop.turn(waiting: .zero)
            fleeting.vanish()
        }

        let replay = try fixture.more("Subscribe", ["after": 3])
        try await turn(fixture) { numbers(replay).last == 3003 || replay.isOver }

        #expect(numbers(replay) == Array(4...3003))
        let state = try fixture.call("GetState").get()
        #expect(state["subscribers"] == 1)
    }

    @Test func unreadableJournalIsReportedOnce() async throws {
        let fixture = try SocketFixture(
            series: JournalSeries(id: "c0c0", uid: 995, bootID: "b007", files: .directory("/nonexistent"))
        ) { $0.replayMax = 16 }
        for _ in 0..<600 { fixture.mediator.post(.flushRequested) }

        for _ in 0..<2 {
            let refused = try fixture.more("Subscribe", ["after": 3])
            try await turn(fixture) { refused.isOver }
            #expect(refused.error == "io.belfry.Lifecycle.NotRetained")
        }

        #expect(
            fixture.writer.records.map(\.message) == [
                "unable to replay what is not in memory any more: "
                    + "unable to open 'the journal': No such file or directory (ENOENT)"
            ])
    }

    @Test func reloadChangesTheCapacityOfTheMemory() async throws {
        let fixture = try SocketFixture { $0.replayMax = 600 }
        var settings = BelfrySettings.defaults
        fixture.mediator.readConfiguration = {
            var configuration = LifecycleConfiguration()
            configuration[SocketParameters.self] = SocketParameters(settings)
            return configuration
        }
        settings.socket.replayMax = 2000
        fixture.mediator.perform(.reload)
        for _ in 0..<1500 { fixture.mediator.post(.flushRequested) }

        let replay = try fixture.more("Subscribe", ["after": 5])
        try await turn(fixture) { numbers(replay).last == 1505 || replay.isOver }
        #expect(numbers(replay) == Array(6...1505))
        settings.socket.replayMax = 600
        fixture.mediator.perform(.reload)
        let refused = try fixture.more("Subscribe", ["after": 5])
        try await turn(fixture) { refused.isOver }

        #expect(refused.errorParameters == ["oldest": 908])
    }
}
