// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfry_listener
import Testing

struct HealthRecordTests {
    private var record = HealthRecord()

    /// Which of the results are to be reported.
    private mutating func reports(_ results: [RunResult]) -> [Bool] {
        results.map { record.add($0) }
    }

    @Test mutating func threeFailuresInARowAreAProblem() {
        #expect(reports([.failed("a"), .overran("b"), .failed("c")]) == [false, false, true])
        #expect(record.problem == "Health= failed: c")
    }

    @Test mutating func aSuccessBetweenThemBeginsTheCountAgain() {
        let results: [RunResult] = [.failed("a"), .failed("a"), .succeeded(), .failed("a"), .failed("a")]

        #expect(!reports(results).contains(true) && record.problem == nil)
    }

    @Test mutating func oneFailureAfterAPauseIsEnough() {
        record.isStrict = true

        #expect(reports([.failed("a"), .succeeded(), .failed("a")]) == [true, true, false])
    }

    @Test mutating func aRunThatWasInterruptedSaysNothing() {
        record.isStrict = true

        #expect(reports([.interrupted, .failed("a")]) == [false, true])
    }

    @Test mutating func theSameProblemIsReportedOnce() {
        record.isStrict = true

        #expect(
            reports([.failed("a"), .failed("a"), .failed("b"), .failed("b")]) == [
                true, false, true, false,
            ])
        #expect(record.problem == "Health= failed: b")
    }
}
