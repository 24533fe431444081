// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import BelfryListeners
import BelfrySystemd
import Glibc
import TestSupport
import Testing

struct ServiceLogTests {
    let writer = RecordingWriter()

    @Test func levelSuppressesLessUrgentRecords() {
        let log = ServiceLog { [writer] _ in writer }
        log.apply(target: .auto, level: .warning)

        log.write(.info, "quiet", .notification)
        log.write(.warning, "loud", .notification)

        #expect(writer.records.map(\.message) == ["loud"])
    }

    @Test func unavailableTargetKeepsTheOldOne() {
        let log = ServiceLog { [writer] target in
            if target == .journal { throw SystemError(ENOENT, verb: "connect to", object: "journal") }
            return target == .null ? NullWriter() : writer
        }

        log.apply(target: .journal, level: .info)
        log.write(.info, "still here", .notification)
        log.apply(target: .null, level: .info)
        log.write(.info, "nowhere", .notification)

        let reason = "unable to connect to 'journal': No such file or directory (ENOENT)"
        #expect(writer.records.map(\.message) == ["\(reason), the log target stays as it was", "still here"])
    }

    @Test func unchangedTargetKeepsItsWriter() throws {
        var made = 0
        let log = ServiceLog { [writer] _ in
            made += 1
            return writer
        }

        for _ in 0..<3 { log.apply(target: .journal, level: .info) }
        try log.check(target: .journal)

        #expect(made == 2, "the first for the start, the second for the journal")
    }
}
