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

        #expect(record.last == nil && record.marks == [] && problems.isEmpty)
    }

    @Test func whatWasWrittenIsRead() {
        for marks in [[], [.paused], [.paused, .stopped]] as [Set<UnitRunRecord.Mark>] {
            #expect(read().record.write("0123abcd", marks) == nil)

            let (record, problems) = read()

            #expect(record.last == "0123abcd" && record.marks == marks && problems.isEmpty)
        }
    }

    @Test func aRunOfAnotherUnitIsNone() {
        #expect(read().record.write("0123abcd", [.paused]) == nil)

        let (record, problems) = read(of: "b.service")

        #expect(record.last == nil && record.marks == [] && problems.isEmpty)
    }

    @Test func whatCannotBeReadIsTold() throws {
        try FileManager.default.createDirectory(atPath: directory.path("unit-run"), withIntermediateDirectories: false)

        let (record, problems) = read()

        #expect(record.last == nil && record.marks == [])
        #expect(problems.map(\.code) == [EINVAL])
    }
}
