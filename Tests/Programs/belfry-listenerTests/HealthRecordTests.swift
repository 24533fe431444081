// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfry_listener
import BelfryEventLoop
import Lifecycle
import Testing

struct HealthRecordTests {
    private var record = HealthRecord(retries: 3, countingFrom: MonotonicInstant(microseconds: 10))

    /// Whether each of the results is told.
    private var told: [Bool] = []

    /// What is known after each of the results.
    private mutating func health(_ results: [RunResult], at now: UInt64 = 10) -> [ListenerHealth] {
        results.map {
            told.append(record.add($0, at: MonotonicInstant(microseconds: now)))
            return record.health
        }
    }

    private func failed(_ reason: String) -> String { "Health= failed: \(reason)" }

    @Test mutating func nothingIsKnownBeforeTheFirstResult() {
        #expect(record.health == .unknown("Health= has not run yet"))
        #expect(health([.interrupted, .succeeded()]) == [.unknown("Health= has not run yet"), .healthy])
    }

    @Test mutating func asManyFailuresInARowAsAreSetAreAProblem() {
        #expect(
            health([.failed("a"), .overran("b"), .failed("c")]) == [
                .unknown(failed("a")), .unknown(failed("b")), .degraded(failed("c")),
            ])
        record = HealthRecord(retries: 1, countingFrom: MonotonicInstant(microseconds: 0))
        #expect(health([.failed("a")]) == [.degraded(failed("a"))])
    }

    @Test mutating func aSuccessBetweenThemBeginsTheCountAgain() {
        let results: [RunResult] = [.succeeded(), .failed("a"), .failed("a"), .succeeded(), .failed("a"), .failed("a")]

        #expect(health(results).allSatisfy { $0 == .healthy })
        // A failure that does not count yet is told to nobody: each report has the time of a success.
        #expect(told == [true, false, false, true, false, false])
    }

    @Test mutating func aFailureAtTheStartDoesNotCountUntilThereWasASuccess() {
        let failures = [RunResult](repeating: .failed("a"), count: 5)

        #expect(health(failures, at: 9).last == .unknown(failed("a")))
        #expect(health([.failed("a"), .failed("b")]) == [.unknown(failed("a")), .unknown(failed("b"))])
        #expect(health([.succeeded(), .failed("a"), .failed("a"), .failed("c")], at: 9).last == .degraded(failed("c")))
    }

    @Test mutating func oneFailureAfterAPauseIsEnough() {
        record.isStrict = true

        #expect(health([.failed("a"), .succeeded(), .failed("a")]) == [.degraded(failed("a")), .healthy, .healthy])
    }

    @Test mutating func aRunThatWasInterruptedSaysNothing() {
        record.isStrict = true

        #expect(health([.interrupted, .failed("a")]).last == .degraded(failed("a")))
    }
}
