// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import TestSupport
import Testing
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

    private func names(boot: String? = nil, only: [String] = [], limit: Int? = nil) throws -> [String] {
        var query = JournalQuery(service: JournalService("belfryd"))
        query.boot = boot.flatMap(JournalBoot.init)
        query.names = only
        query.limit = limit
        var names: [String] = []
        try reader.read(query) { names.append($0["name"]?.stringValue ?? "") }
        return names
    }

    @Test func withoutABootAllAreRead() throws {
        #expect(try names() == ["oldest", "old", "before", "last", "now"])
    }

    @Test(arguments: [("-1", ["before", "last"]), ("-2", ["oldest", "old"])])
    func bootsAreCountedBackInTheOrderOfTime(boot: String, names expected: [String]) throws {
        #expect(try names(boot: boot) == expected)
    }

    @Test func anIdLeavesTheOtherBootsOut() throws {
        #expect(try names(boot: Self.boots[2]) == ["now"])
        #expect(try names(boot: Self.boots[0], only: ["old", "now"]) == ["old"])
        #expect(try names(boot: "BBBBBBBB-BBBB-BBBB-BBBB-BBBBBBBBBBBB") == ["now"])
    }

    @Test func theLastOnesAreThoseOfTheBoot() throws {
        #expect(try names(boot: "-1", limit: 1) == ["last"])
        #expect(try names(boot: "-2", limit: 3) == ["oldest", "old"])
    }

    @Test func aBootThatTheJournalDoesNotHaveIsSaid() throws {
        #expect(throws: ControlFailure(.usage, "unable to find boot '-3': the journal has 3")) { try names(boot: "-3") }
        let none = String(repeating: "d", count: 32)
        #expect(throws: ControlFailure(.usage, "unable to find boot '\(none)': the journal does not have it")) {
            try names(boot: none)
        }
    }

    @Test func noJournalIsNotTakenForOneWithoutSuchRecords() throws {
        let empty = try JournalFixture()
        let none = try JournalReader(directory: empty.path)
        let service = JournalService("belfryd")
        var query = JournalQuery(service: service)
        let isSaid = { (error: any Error) in
            (error as? ControlFailure)?.status == .unavailable
                && (error as? ControlFailure)?.lines.first == "unable to read 'the journal': there is none"
        }

        #expect(performing: { try none.read(query) { _ in } }, throws: isSaid)
        #expect(performing: { try none.lastTimeline(of: "stop", service: service) }, throws: isSaid)
        query.boot = .offset(-1)
        #expect(performing: { try none.read(query) { _ in } }, throws: isSaid)
        #expect(try names(only: ["org.example.never"]) == [])
    }

    // The fixture's records are not of this machine.
    @Test func zeroIsTheBootOfThisMachine() throws { #expect(try names(boot: "0") == []) }
}
