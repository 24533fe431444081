// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import Foundation
import Glibc
import TestSupport
import Testing

@testable import belfryd

struct UnitRunRecordTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func read(of unit: String = "a.service") -> (record: UnitRunRecord, problems: [SystemError]) {
        var problems: [SystemError] = []
        let record = UnitRunRecord(of: unit, in: directory.url.path) { problems.append($0) }
        return (record, problems)
    }

    @Test func nothingIsKnownBeforeTheFirstRun() {
        let (record, problems) = read()

        #expect(record.last == nil && problems.isEmpty)
    }

    @Test func whatWasWrittenIsRead() {
        for run in [
            UnitRun(id: "0123abcd"), UnitRun(id: "0123abcd", marks: [.paused, .stopped]),
            UnitRun(id: "0123abcd", marks: [.degraded, .paused]),
        ] {
            #expect(read().record.write(run) == nil)

            let (record, problems) = read()

            #expect(record.last == run && problems.isEmpty)
        }
    }

    @Test func aRunOfAnotherUnitIsNone() {
        #expect(read().record.write(UnitRun(id: "0123abcd", marks: [.paused])) == nil)

        let (record, problems) = read(of: "b.service")

        #expect(record.last == nil && problems.isEmpty)
    }

    @Test func whatCannotBeReadIsTold() throws {
        try FileManager.default.createDirectory(atPath: directory.path("unit-run"), withIntermediateDirectories: false)

        let (record, problems) = read()

        #expect(record.last == nil)
        #expect(problems.map(\.code) == [EINVAL])
    }
}
