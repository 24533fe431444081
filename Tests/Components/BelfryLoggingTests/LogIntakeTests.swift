// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryListeners
@testable import BelfryLogging
import BelfrySystemd
import TestSupport
import Testing

/// The intake without threads; `BelfryLogHandlerTests` has tests with threads.
struct LogIntakeTests {
    let writer = RecordingWriter()
    let intake = LogIntake()

    /// A log that is connected to the intake. Call it in the test itself: in a test process the main actor may change its
    /// thread between the initialiser and the test.
    private func connected() -> ServiceLog {
        let log = ServiceLog { [writer] _ in writer }
        log.receive(from: intake, identifier: "videod")
        return log
    }

    @Test func recordOfTheMainThreadIsWrittenAtOnce() {
        let log = connected()
        intake.add(JournalRecord(.info, "first"))
        #expect(writer.records.map(\.message) == ["first"])

        log.write(.info, "second", .notification)
        intake.add(JournalRecord(.info, "third"))

        #expect(writer.records.map(\.message) == ["first", "second", "third"])
    }

    @Test func recordBelowTheLevelOfTheLogIsNotTaken() {
        let log = connected()
        log.apply(target: .auto, level: .warning)

        intake.add(JournalRecord(.notice, "quiet"))
        intake.add(JournalRecord(.warning, "loud"))

        #expect(intake.maximumLevel == .warning)
        #expect(writer.records.map(\.message) == ["loud"])
    }

    @Test func anotherTargetGetsTheLaterRecords() {
        let other = RecordingWriter()
        let log = ServiceLog { [writer] in $0 == .null ? other : writer }
        let intake = LogIntake()
        log.receive(from: intake, identifier: "videod")

        intake.add(JournalRecord(.info, "first"))
        log.apply(target: .null, level: .info)
        intake.add(JournalRecord(.info, "second"))

        #expect(writer.records.map(\.message) == ["first"] && other.records.map(\.message) == ["second"])
    }
}
