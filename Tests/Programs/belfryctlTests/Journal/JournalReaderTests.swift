// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryCommandLine
import BelfrySystemd
@testable import belfryctl
import Testing
import TestSupport
import Varlink

@Suite(.timeLimit(.minutes(1)))
struct JournalReaderTests {
    // Boots in the order of time, which is not that of their ids.
    private static let boots = [
        "cccccccccccccccccccccccccccccccc", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
    ]

    private let journal: JournalFixture
    private let reader: JournalReader

    /// A journal with three boots of two services.
    init() throws {
        journal = try JournalFixture()
        for (boot, names) in zip(Self.boots, [["oldest", "old"], ["before", "last"], ["now"]]) {
            let records = (names + ["\(names[0])-of-another"]).map { name in
                [
                    ("SYSLOG_IDENTIFIER", name.hasSuffix("-of-another") ? "lantern" : "belfryd"),
                    ("BELFRY_NOTIFICATION", name), ("BELFRY_SEQUENCE", "1"), ("BELFRY_STATE", "active"),
                    ("BELFRY_PREVIOUS_STATE", "active"), ("BELFRY_ORIGIN", "service"), ("BELFRY_REALTIME_USEC", "5"),
                    ("BELFRY_MONOTONIC_USEC", "6"), ("_UID", "0"),
                ] as JournalFixture.Record
            }
            try journal.write(records, bootID: boot)
        }
        reader = try JournalReader(directory: journal.path)
    }

    private func names(only: [String] = [], limit: Int? = nil) throws -> [String] {
        var names: [String] = []
        try reader.read(JournalService("belfryd"), names: only, limit: limit) { entry in
            if case .notification(let object) = entry { names.append(object["name"]?.stringValue ?? "") }
        }
        return names
    }

    @Test func allBootsAreReadInTheOrderOfTime() throws {
        #expect(try names() == ["oldest", "old", "before", "last", "now"])
    }

    @Test func recordsOfListenersFollowTheirNotification() throws {
        let journal = try JournalFixture()
        let source: JournalFixture.Record = [("SYSLOG_IDENTIFIER", "belfryd"), ("_UID", "0"), ("BELFRY_SEQUENCE", "7")]
        let notification: JournalFixture.Record = [
            ("BELFRY_NOTIFICATION", "flushRequested"), ("BELFRY_STATE", "active"), ("BELFRY_PREVIOUS_STATE", "active"),
            ("BELFRY_ORIGIN", "service"), ("BELFRY_REALTIME_USEC", "5"), ("BELFRY_MONOTONIC_USEC", "6"),
        ]
        let record: JournalFixture.Record = [
            ("BELFRY_NOTIFICATION", "flushRequested"), ("BELFRY_LISTENER", "cacheFlush"), ("MESSAGE", "freed"),
        ]
        try journal.write([source + notification, source + record], bootID: Self.boots[0])
        var limit: Int?
        func read() throws -> (notifications: [JSONObject], records: [JSONObject]) {
            var found: (notifications: [JSONObject], records: [JSONObject]) = ([], [])
            try JournalReader(directory: journal.path).read(JournalService("belfryd"), limit: limit) { entry in
                switch entry {
                case .notification(let object): found.notifications.append(object)
                case .record(let object): found.records.append(object)
                case .timeline: Issue.record("there is none")
                }
            }
            return found
        }

        let found = try read()
        #expect(found.notifications.map { $0["sequence"] } == [7] && found.records.map { $0["sequence"] } == [7])
        #expect(found.records[0]["listener"] == "cacheFlush" && found.records[0]["message"] == "freed")
        #expect(
            NotificationLine(.plain).line(record: found.records[0]).hasSuffix("      7  - cacheFlush         freed"))
        limit = 1
        #expect(try read().records.count == 1)
    }

    @Test func callsOfListenersAreFoundByTheNameOfTheirNotification() throws {
        let journal = try JournalFixture()
        let source: JournalFixture.Record = [("SYSLOG_IDENTIFIER", "belfryd"), ("_UID", "0")]
        let notification: JournalFixture.Record = [
            ("BELFRY_NOTIFICATION", "statusRequested"), ("BELFRY_SEQUENCE", "7"),
        ]
        let call = #"{"listener":"cacheFlush","outcome":"completed","startUsec":500,"durationUsec":400}"#
        let steps = ["willResignActive", "didEnterBackground"].enumerated().map {
            #"{"notification":"\#($1)","sequence":\#($0 + 8),"listeners":[\#(call)]}"#
        }
        let timeline: JournalFixture.Record = [
            ("MESSAGE_ID", MessageID.timeline.rawValue), ("BELFRY_TRIGGER", "pause"),
            ("BELFRY_TIMELINE", "[\(steps.joined(separator: ","))]"),
        ]
        try journal.write([source + notification, source + timeline], bootID: Self.boots[0])
        func read(_ names: [String]) throws -> (notifications: [JSONObject], calls: [JSONObject]) {
            var found: (notifications: [JSONObject], calls: [JSONObject]) = ([], [])
            try JournalReader(directory: journal.path).read(JournalService("belfryd"), names: names) { entry in
                switch entry {
                case .notification(let object): found.notifications.append(object)
                case .record: Issue.record("there is none")
                case .timeline(let timeline): found.calls += timeline.calls(for: names)
                }
            }
            return found
        }

        #expect(try read([]).notifications.map { $0["name"] } == ["statusRequested"])
        #expect(try read([]).calls.map { $0["sequence"] } == [8, 9])
        let found = try read(["didEnterBackground"])
        #expect(found.notifications.isEmpty && found.calls.count == 1)
        // The second record of the fixture is at 1,002 us of CLOCK_MONOTONIC.
        let expected: JSONObject = [
            "sequence": 9, "name": "didEnterBackground", "listener": "cacheFlush",
            "realtimeUsec": 1_767_358_799_999_900, "outcome": "completed", "durationUsec": 400,
        ]
        #expect(found.calls.first.map { JSONLine.text($0) } == JSONLine.text(expected))
        #expect(
            found.calls.first.map { NotificationLine(.plain).line(call: $0) }?
                .hasSuffix("      9  - cacheFlush         completed, 400 us") == true)
    }

    @Test func onlyTheseNamesAreRead() throws {
        #expect(try names(only: ["old", "now"]) == ["old", "now"])
    }

    @Test func limitCountsBackFromTheEndOverAllBoots() throws {
        #expect(try names(limit: 2) == ["last", "now"])
        #expect(try names(limit: 9) == ["oldest", "old", "before", "last", "now"])
    }

    @Test func missingJournalIsAnError() throws {
        let empty = try JournalFixture()
        let none = try JournalReader(directory: empty.path)
        let isSaid = { (error: any Error) in
            (error as? ClientFailure)?.status == .unavailable
                && (error as? ClientFailure)?.lines.first == "unable to read the journal: there is none"
        }

        #expect(performing: { try none.read(JournalService("belfryd")) { _ in } }, throws: isSaid)
        #expect(try names(only: ["org.example.never"]) == [])
    }
}

/// Which records count. Fields whose names begin with `_` are set by journald, the others by the writer.
@Suite(.timeLimit(.minutes(1)))
struct JournalServiceTests {
    private static let user: UInt32 = 1000

    private let journal: JournalFixture

    init() throws { journal = try JournalFixture() }

    /// The number of notifications that a record with these fields has for a service, and of timelines.
    private func seen(_ service: String, in fields: JournalFixture.Record) throws -> Int {
        try journal.write([
            fields + [("BELFRY_NOTIFICATION", "org.example.x")],
            fields + [("BELFRY_TRIGGER", "stop"), ("BELFRY_TIMELINE", "[]")],
        ])
        var counts = (notifications: 0, timelines: 0)
        let service = JournalService(service, readBy: Self.user)
        try JournalReader(directory: journal.path).read(service) { entry in
            switch entry {
            case .notification: counts.notifications += 1
            case .timeline: counts.timelines += 1
            case .record: Issue.record("there is none")
            }
        }
        #expect(counts.notifications == counts.timelines)
        return counts.notifications
    }

    @Test(
        arguments: [
            [("_SYSTEMD_UNIT", "lantern.service"), ("_UID", "105")],
            [("_SYSTEMD_UNIT", "session-1.scope"), ("_UID", "0")],
            [("_SYSTEMD_UNIT", "user@1000.service"), ("_UID", "1000")], [("_UID", "1000")],
        ] as [JournalFixture.Record])
    func recordsOfTheUnitOfRootAndOfTheReaderCount(_ writer: JournalFixture.Record) throws {
        #expect(try seen("lantern", in: [("SYSLOG_IDENTIFIER", "lantern")] + writer) == 1)
    }

    @Test(
        arguments: [
            [("_SYSTEMD_UNIT", "session-1.scope"), ("_UID", "65534")], [("_UID", "65534")], [],
            [("_SYSTEMD_UNIT", "web.service"), ("_UID", "33"), ("UNIT", "lantern.service")],
            [("_SYSTEMD_UNIT", "user@65534.service"), ("_SYSTEMD_USER_UNIT", "lantern.service"), ("_UID", "65534")],
        ] as [JournalFixture.Record])
    func recordsOfOthersInTheNameOfTheServiceDoNotCount(_ writer: JournalFixture.Record) throws {
        #expect(try seen("lantern", in: [("SYSLOG_IDENTIFIER", "lantern")] + writer) == 0)
    }

    @Test(
        arguments: [
            ([("_SYSTEMD_UNIT", "video@1.service"), ("_UID", "105")], 1),
            ([("_SYSTEMD_UNIT", "video@2.service"), ("_UID", "0")], 0),
            ([("_SYSTEMD_UNIT", "user@1000.service"), ("_SYSTEMD_USER_UNIT", "video@1.service"), ("_UID", "1000")], 1),
            ([("_SYSTEMD_UNIT", "user@1001.service"), ("_SYSTEMD_USER_UNIT", "video@1.service"), ("_UID", "1001")], 0),
        ] as [(JournalFixture.Record, Int)])
    func unitIsFoundByItsOwnName(_ writer: JournalFixture.Record, _ count: Int) throws {
        #expect(try seen("video@1.service", in: [("SYSLOG_IDENTIFIER", "recorder")] + writer) == count)
    }
}
