// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfry_listener
import Testing

struct HealthRecordTests {
    /// Which of the results are to be reported.
    private func reports(_ results: [RunResult], to record: inout HealthRecord) -> [Bool] {
        var reports: [Bool] = []
        for result in results { reports.append(record.add(result)) }
        return reports
    }

    @Test func threeFailuresInARowAreAProblem() {
        var record = HealthRecord()

        #expect(reports([.failed("a"), .overran("b"), .failed("c")], to: &record) == [false, false, true])
        #expect(record.problem == "Health= failed: c")
    }

    @Test func aSuccessBetweenThemBeginsTheCountAgain() {
        var record = HealthRecord()
        let results: [RunResult] = [.failed("a"), .failed("a"), .succeeded, .failed("a"), .failed("a")]

        #expect(!reports(results, to: &record).contains(true) && record.problem == nil)
    }

    @Test func oneFailureAfterAPauseIsEnough() {
        var record = HealthRecord()
        record.isStrict = true

        #expect(reports([.failed("a"), .succeeded, .failed("a")], to: &record) == [true, true, false])
    }

    @Test func aRunThatWasInterruptedSaysNothing() {
        var record = HealthRecord()
        record.isStrict = true

        #expect(reports([.interrupted, .failed("a")], to: &record) == [false, true])
    }

    @Test func theSameProblemIsReportedOnce() {
        var record = HealthRecord()
        record.isStrict = true

        #expect(
            reports([.failed("a"), .failed("a"), .failed("b"), .failed("b")], to: &record) == [
                true, false, true, false,
            ])
        #expect(record.problem == "Health= failed: b")
    }
}
