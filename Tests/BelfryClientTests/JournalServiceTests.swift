// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import TestSupport
import Testing

/// Whose records count. Fields whose names begin with `_` are journald's word, the others are those of the writer.
@Suite(.timeLimit(.minutes(1)))
struct JournalServiceTests {
    private static let user: UInt32 = 1000

    private let journal: JournalFixture

    init() throws { journal = try JournalFixture() }

    /// How many notifications and timelines of a service there are in a record with these fields.
    private func seen(_ service: String, in fields: JournalFixture.Record) throws -> Int {
        try journal.write([
            fields + [("BELFRY_NOTIFICATION", "org.example.x"), ("BELFRY_TRIGGER", "stop"), ("BELFRY_TIMELINE", "[]")]
        ])
        let reader = try JournalReader(directory: journal.path)
        let service = JournalService(service, askedBy: Self.user)
        var count = 0
        try reader.read(JournalQuery(service: service)) { _ in count += 1 }
        let timeline = try reader.lastTimeline(of: "stop", service: service)
        #expect((timeline == nil) == (count == 0))
        return count
    }

    @Test(
        arguments: [
            [("_SYSTEMD_UNIT", "lantern.service"), ("_UID", "105")],
            [("_SYSTEMD_UNIT", "session-1.scope"), ("_UID", "0")],
            [("_SYSTEMD_UNIT", "user@1000.service"), ("_UID", "1000")], [("_UID", "1000")],
        ] as [JournalFixture.Record])
    func recordsOfItsUnitOfRootAndOfTheCallerCount(_ writer: JournalFixture.Record) throws {
        #expect(try seen("lantern", in: [("SYSLOG_IDENTIFIER", "lantern")] + writer) == 1)
    }

    @Test(
        arguments: [
            [("_SYSTEMD_UNIT", "session-1.scope"), ("_UID", "65534")], [("_UID", "65534")], [],
            [("_SYSTEMD_UNIT", "web.service"), ("_UID", "33"), ("UNIT", "lantern.service")],
            [("_SYSTEMD_UNIT", "user@65534.service"), ("_SYSTEMD_USER_UNIT", "lantern.service"), ("_UID", "65534")],
        ] as [JournalFixture.Record])
    func recordsOfOthersInItsNameDoNotCount(_ writer: JournalFixture.Record) throws {
        #expect(try seen("lantern", in: [("SYSLOG_IDENTIFIER", "lantern")] + writer) == 0)
    }

    @Test(
        arguments: [
            ([("_SYSTEMD_UNIT", "video@1.service"), ("_UID", "105")], 1),
            ([("_SYSTEMD_UNIT", "video@2.service"), ("_UID", "0")], 0),
            ([("_SYSTEMD_UNIT", "user@1000.service"), ("_SYSTEMD_USER_UNIT", "video@1.service"), ("_UID", "1000")], 1),
            ([("_SYSTEMD_UNIT", "user@1001.service"), ("_SYSTEMD_USER_UNIT", "video@1.service"), ("_UID", "1001")], 0),
        ] as [(JournalFixture.Record, Int)])
    func aUnitIsFoundWhateverItsServiceIsCalled(_ writer: JournalFixture.Record, _ count: Int) throws {
        #expect(try seen("video@1.service", in: [("SYSLOG_IDENTIFIER", "recorder")] + writer) == count)
    }
}
