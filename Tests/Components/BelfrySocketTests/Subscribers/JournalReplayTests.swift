// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySocket
import BelfrySystemd
import BelfryLinux
import TestSupport
import Testing
import Varlink

@Suite(.timeLimit(.minutes(1)))
struct JournalReplayTests {
    private let journal: JournalFixture
    private let series: JournalSeries

    init() throws {
        journal = try JournalFixture()
        series = JournalSeries(id: "c0c0", uid: 995, bootID: "b007", files: .directory(journal.path))
    }

    private func record(
        _ number: Int, _ name: String = "org.example.tick", uid: Int = 995, id: String = "c0c0",
        without missing: String = "", more: JournalFixture.Record = []
    ) -> JournalFixture.Record {
        let fields: JournalFixture.Record = [
            ("_UID", "\(uid)"), ("BELFRY_SEQUENCE_ID", id), ("BELFRY_NOTIFICATION", name),
            ("BELFRY_SEQUENCE", "\(number)"), ("BELFRY_STATE", "active"), ("BELFRY_PREVIOUS_STATE", "active"),
            ("BELFRY_ORIGIN", "service"), ("BELFRY_REALTIME_USEC", "5"), ("BELFRY_MONOTONIC_USEC", "6"),
        ]
        return fields.filter { $0.name != missing } + more
    }

    /// The result of a replay.
    private struct Result {
        var numbers: [UInt64] = []
        var names: [String] = []
        var end: JournalReplay.Outcome = .goesOn
        var steps = 0
    }

    private func replay(
        from first: UInt64, upTo end: UInt64, names: Set<String>? = nil, isWritten: Bool = false
    ) throws -> Result {
        var replay = JournalReplay(series, from: first, names: names.map { Set($0.map { UTF8Text($0) }) })
        var result = Result()
        while result.end == .goesOn {
            let (replies, outcome) = try replay.step(upTo: end, isWritten: isWritten, timeout: .seconds(20))
            result.numbers += replies.map(\.number)
            result.names += try replies.map {
                try VarlinkReply(message: $0.message.dropLast()[...]).parameters["notification"]?["name"]?.stringValue
                    ?? ""
            }
            result.end = outcome
            result.steps += 1
        }
        return result
    }

    @Test func replayEndsAtTheOldestInMemory() throws {
        try journal.write((1...20).map { record($0) })

        let result = try replay(from: 5, upTo: 15)

        #expect(result.end == .reached)
        #expect(result.numbers == Array(5...14))
    }

    @Test func recordGivesTheReplyThatWasSent() throws {
        try journal.write([record(1, more: [("BELFRY_USER_INFO", #"{"a":[1,2.5],"b":"ü"}"#)]), record(2)])
        var replay = JournalReplay(series, from: 1, names: nil)

        _ = try replay.step(upTo: 2, isWritten: false)
        let (replies, outcome) = try replay.step(upTo: 2, isWritten: false)

        #expect(outcome == .reached)
        #expect(
            String(decoding: replies[0].message, as: UTF8.self)
                == #"{"parameters":{"notification":{"sequence":1,"name":"org.example.tick","state":"active","#
                + #""previousState":"active","realtimeUsec":5,"monotonicUsec":6,"bootId":"b007","#
                + #""origin":{"kind":"service"},"userInfo":{"a":[1,2.5],"b":"ü"}}},"continues":true}"# + "\0")
    }

    @Test func manyRecordsAreReadInSteps() throws {
        for part in 0..<3 { try journal.write((1...2000).map { record(2000 * part + $0) }) }

        let result = try replay(from: 1, upTo: 6001)

        #expect(result.end == .reached)
        #expect(result.numbers == Array(1...6000))
        #expect(result.steps > 6)
    }

    @Test func gapIsRefusedWithTheFirstNumberAfterIt() throws {
        try journal.write(([1, 2, 3] + [7, 8] + Array(10...30)).map { record($0) })

        for first: UInt64 in [1, 4, 7, 9] {
            let result = try replay(from: first, upTo: 31)
            #expect(result.end == .broken(oldest: 10, found: true))
            #expect(result.numbers == [])
        }
        #expect(try replay(from: 10, upTo: 31).numbers == Array(10...30))
    }

    @Test func rotatedJournalReportsItsOldestNumber() throws {
        try journal.write((50...60).map { record($0) })

        #expect(try replay(from: 1, upTo: 55).end == .broken(oldest: 50, found: true))
        #expect(try replay(from: 50, upTo: 55).numbers == Array(50...54))
    }

    @Test func emptyJournalHasNoNumbers() throws {
        #expect(try replay(from: 1, upTo: 5).end == .broken(oldest: 5, found: false))
    }

    @Test func recordsOfOtherCountersAndUsersAreIgnored() throws {
        try journal.write(
            (1...9).flatMap { [record($0, "org.example.false", uid: 1000), record($0), record($0, "x", id: "c1c1")] })

        let result = try replay(from: 1, upTo: 9)

        #expect(result.names == Array(repeating: "org.example.tick", count: 8))
    }

    /// A process was killed after it had written a record and before any delivery.
    @Test func laterRecordOfANumberCounts() throws {
        try journal.write([
            record(1), record(2, "org.example.unheard"), record(2, "org.example.heard"), record(3), record(4, "x"),
            record(4, "y"), record(5),
        ])

        #expect(
            try replay(from: 1, upTo: 5).names == ["org.example.tick", "org.example.heard", "org.example.tick", "y"])
        #expect(try replay(from: 2, upTo: 5, names: ["org.example.unheard", "x"]).names == [])
        #expect(try replay(from: 4, upTo: 5).names == ["y"])
    }

    @Test func onlyRequestedNamesAreReplayed() throws {
        try journal.write((1...3000).map { record($0, $0 % 1000 == 0 ? "org.example.hour" : "org.example.tick") })

        let result = try replay(from: 2, upTo: 3001, names: ["org.example.hour"])

        #expect(result.end == .reached)
        #expect(result.numbers == [1000, 2000, 3000])
    }

    @Test func incompleteRecordIsAGap() throws {
        try journal.write([record(1), record(2, without: "BELFRY_STATE"), record(3), record(4)])
        try journal.write([record(5, more: [("BELFRY_USER_INFO", "{\"a\":")]), record(6), record(7)])

        #expect(try replay(from: 1, upTo: 4).end == .broken(oldest: 4, found: true))
        #expect(try replay(from: 3, upTo: 6).end == .broken(oldest: 6, found: true))
        #expect(try replay(from: 1, upTo: 4, names: ["other"]).end == .reached)
    }

    @Test(arguments: ["18446744073709551615", "9223372036854775807", "-1", "x", "", "99999999999999999999999"])
    func invalidSequenceNumberIsSkipped(_ number: String) throws {
        let odd = record(0, without: "BELFRY_SEQUENCE", more: [("BELFRY_SEQUENCE", number)])
        try journal.write([odd, record(1), odd, record(2), odd, record(3), odd])

        for isWritten in [false, true] {
            let result = try replay(from: 1, upTo: 3, isWritten: isWritten)
            #expect(result.end == .reached)
            #expect(result.numbers == [1, 2])
        }
    }

    @Test func invalidRecordsAreReadInSteps() throws {
        let useless = Array(repeating: record(0, without: "BELFRY_SEQUENCE"), count: 10_000)
        try journal.write([record(1), record(2)] + useless + [record(3)])

        let result = try replay(from: 1, upTo: 3)

        #expect(result.end == .reached)
        #expect(result.numbers == [1, 2])
        // The replay reads all of them backwards and forwards.
        #expect(result.steps >= 4)
        #expect(try replay(from: 1, upTo: 3, names: ["\u{212A}"]).numbers == [])
    }

    @Test func replayWaitsForRecordsBeingWritten() throws {
        try journal.write((1...5).map { record($0) })
        let program = try journal.beginToWrite((6...9).map { record($0) })

        let result = try replay(from: 2, upTo: 9, isWritten: true)

        try journal.wait(for: program)
        #expect(result.end == .reached)
        #expect(result.numbers == Array(2...8))
    }

    @Test func replayDoesNotWaitIfNothingIsBeingWritten() throws {
        try journal.write((1...5).map { record($0) })

        #expect(try replay(from: 2, upTo: 9).end == .broken(oldest: 9, found: true))
    }

    @Test func missingDirectoryIsAnError() {
        var replay = JournalReplay(
            JournalSeries(id: "c0c0", uid: 0, bootID: "", files: .directory("/nonexistent")), from: 1, names: nil)

        #expect(throws: SystemError.self) { try replay.step(upTo: 5, isWritten: true) }
    }
}
