// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Glibc
import BelfrySystemd
import BelfryLinux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct JournalWriterTests {
    let directory: TemporaryDirectory
    let journal: StandInSocket
    let writer: JournalWriter
    let queue: RecordQueue
    let loop: MainEventLoop

    init() throws {
        directory = try TemporaryDirectory()
        journal = try StandInSocket(at: directory.path("journal"))
        writer = try JournalWriter(identifier: "test", address: journal.path)
        queue = try #require(writer.queue)
        loop = try MainEventLoop()
    }

    /// Turns the loop until this many records have arrived.
    private func receive(_ count: Int) throws -> [StandInSocket.Record] {
        var records: [StandInSocket.Record] = []
        try loop.turn {
            while records.count < count, let record = journal.record() { records.append(record) }
            return records.count == count
        }
        return records
    }

    @Test func recordArrivesWithFieldsOfAnyContent() throws {
        let long = String(repeating: "line\n", count: 10)
        writer.write(
            JournalRecord(
                .notice, "first\nsecond", id: "0123", fields: ["A": "1=2", "B": long, "C": "", "D": "\n"]))

        #expect(
            journal.record() == [
                "MESSAGE": "first\nsecond", "PRIORITY": "5", "SYSLOG_IDENTIFIER": "test", "MESSAGE_ID": "0123",
                "A": "1=2", "B": long, "C": "", "D": "\n",
            ])
    }

    @Test func recordIsReceivedWhenItWasRead() {
        #expect(writer.isReceived)
        writer.write(JournalRecord(.info, "read late"))
        #expect(!writer.isReceived)

        _ = journal.record()

        #expect(writer.isReceived)
    }

    @Test func recordBeyondADatagramIsSentInASealedFile() throws {
        let long = String(repeating: "x", count: 900_000)
        writer.write(JournalRecord(.info, "long", fields: ["LONG": long]))

        let record = journal.record()
        #expect(record?["LONG"] == long)
        #expect(record?["MESSAGE"] == "long")
    }

    @Test func fieldIsCutAtOneMebibyte() throws {
        writer.write(JournalRecord(.info, "long", fields: ["LONG": "a" + String(repeating: "ä", count: 1 << 20)]))

        #expect(journal.record()?["LONG"] == "a" + String(repeating: "ä", count: (1 << 19) - 1))
    }

    @Test func burstOfAThousandArrivesCompleteAndInOrder() throws {
        queue.loop = loop
        queue.onDrop = { _ in Issue.record("unexpected drop") }
        for number in 0..<1000 { writer.write(JournalRecord(.info, "record \(number)")) }

        let records = try receive(1000)

        #expect(records.map { $0["MESSAGE"] } == (0..<1000).map { "record \($0)" })
        #expect(queue.isEmpty)
    }

    @Test func restartedJournalGetsPendingRecords() throws {
        queue.loop = loop
        journal.stop()
        writer.write(JournalRecord(.info, "refused"))
        unlink(journal.path)
        writer.write(JournalRecord(.info, "no socket"))
        try loop.turn(waiting: .milliseconds(5))
        try journal.listen()
        writer.write(JournalRecord(.info, "restarted"))

        let records = try receive(3)

        #expect(records.map { $0["MESSAGE"] } == ["refused", "no socket", "restarted"])
    }

    @Test(arguments: [(5000, 1), (120, 100_000)])
    func recordsBeyondTheLimitAreCounted(records: Int, size: Int) throws {
        queue.loop = loop
        var dropped = 0
        queue.onDrop = { [unowned writer] count in
            dropped += count
            writer.write(JournalRecord(.warning, "\(count) are missing"))
        }
        let value = String(repeating: "x", count: size)
        for number in 0..<records { writer.write(JournalRecord(.info, "\(number)", fields: ["VALUE": value])) }

        var messages: [String] = []
        try loop.turn {
            while let record = journal.record() { messages.append(record["MESSAGE"] ?? "") }
            return dropped > 0 && queue.isEmpty
        }
        while let record = journal.record() { messages.append(record["MESSAGE"] ?? "") }

        #expect(messages.count - 1 + dropped == records)
        #expect(messages.last == "\(dropped) are missing")
        #expect(messages.dropLast() == (0..<(messages.count - 1)).map { "\($0)" }[...])
    }

    @Test func finishWritesPendingRecordsIfTheJournalReads() throws {
        for number in 0..<30 { writer.write(JournalRecord(.info, "\(number)")) }
        var read = 0
        while journal.record() != nil { read += 1 }
        #expect(read < 30)

        queue.finish()
        while journal.record() != nil { read += 1 }
        #expect(read < 30)
        queue.finish()
        while journal.record() != nil { read += 1 }

        #expect(read == 30)
    }

    @Test func unreachableJournalIsAnError() throws {
        let nowhere = directory.path("nowhere")
        #expect(throws: SystemError(ENOENT, verb: "reach the journal at", object: nowhere)) {
            try JournalWriter(identifier: "test", address: nowhere)
        }
        journal.stop()
        #expect(throws: SystemError(ECONNREFUSED, verb: "reach the journal at", object: journal.path)) {
            try JournalWriter(identifier: "test", address: journal.path)
        }
    }

    @Test func longRecordWaitsForADescriptor() throws {
        // The first timer of the loop needs a descriptor too.
        queue.loop = loop
        let timer = try loop.timer(after: .seconds(3600)) {}
        defer { timer.cancel() }
        queue.onDrop = { _ in Issue.record("unexpected drop") }
        var old = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
        var low = rlimit(rlim_cur: 0, rlim_max: old.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)

        writer.write(JournalRecord(.info, "long", fields: ["LONG": String(repeating: "x", count: 900_000)]))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)

        #expect(try receive(1).first?["MESSAGE"] == "long")
    }

    @Test func recordThatCanNeverBeSentIsCounted() throws {
        let queue = RecordQueue { _ in .lost }
        var dropped: [Int] = []
        queue.onDrop = { [unowned queue] count in
            dropped.append(count)
            queue.write([1]) { _ in .lost }
        }

        for _ in 0..<3 { queue.write([1, 2]) { _ in .lost } }
        queue.loop = loop
        try loop.turn { !dropped.isEmpty }
        queue.finish()

        #expect(dropped == [3])
    }
}
