// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Testing

struct AbsenceLedgerTests {
    private let start = ThreadUsage(
        when: MonotonicInstant(microseconds: 1_000_000), running: 500, queued: 70, switches: 3)

    @Test func workIsNoAbsence() {
        #expect(ledger().absence(until: after(2_000_000, running: 1_500_000, queued: 500_000)) == nil)
    }

    @Test func timeThatIsNotAccountedForIsAnAbsence() {
        let found = ledger().absence(until: after(2_000_000, running: 300_000, switches: 1))

        #expect(found == .milliseconds(1700))
    }

    @Test func timeInTheQueueMayHaveBeenPartOfIt() {
        let found = ledger().absence(until: after(2_000_000, running: 300_000, queued: 100_000, switches: 1))

        #expect(found == .milliseconds(1700))
    }

    @Test func threadThatKeptTheProcessorWasNotStopped() {
        #expect(ledger().absence(until: after(2_000_000, running: 300_000)) == nil)
    }

    @Test func waitsOfTheLoopAreAccountedFor() {
        var ledger = ledger()
        ledger.addWait(from: 1_000_010, to: 1_080_010)

        #expect(ledger.absence(until: after(200_000, running: 119_500, switches: 1)) == nil)
        #expect(ledger.absence(until: after(200_000, running: 12_000, switches: 1)) == .milliseconds(108))
    }

    @Test func waitThatTookLongMayNotHaveGivenUpTheProcessor() {
        var ledger = ledger()
        ledger.addWait(from: 1_000_010, to: 1_000_200)

        #expect(ledger.absence(until: after(300_190, running: 150_000, switches: 1)) == nil)
        #expect(ledger.absence(until: after(300_190, running: 150_000, switches: 2)) == .milliseconds(150))
    }

    @Test func stopInTheEndOfAWaitIsSeenByWhatItGaveUp() {
        #expect(afterWait(after(1_000_300, running: 290, switches: 1)) == nil)
        #expect(afterWait(after(1_000_300, running: 290, switches: 2)) == .seconds(1))
        // It may have slept in this one.
        #expect(afterWait(after(1_000_300, running: 281, switches: 2), nap: 19) == .seconds(1))
        #expect(afterWait(after(1_000_300, running: 240, switches: 2), nap: 50) == nil)
        #expect(afterWait(after(1_000_300, running: 240, switches: 3), nap: 50) == .seconds(1))
        // A file was written for good before.
        #expect(afterWait(after(1_000_300, running: 150, switches: 2)) == nil)
    }

    @Test func stopInTheEndOfAShortWaitIsSeenToo() {
        #expect(afterWait(after(300, running: 199, switches: 1), wait: 101) == nil)
        #expect(afterWait(after(300, running: 199, switches: 2), wait: 101) == .microseconds(101))
        #expect(afterWait(after(300, running: 179, switches: 2), wait: 101) == .microseconds(101))
        // Something blocked besides.
        #expect(afterWait(after(300, running: 178, switches: 2), wait: 101) == nil)
        // Who is woken at once may have slept all the same.
        #expect(afterWait(after(300, running: 197, switches: 2), wait: 101, nap: 2) == .microseconds(103))
        #expect(afterWait(after(300, running: 196, switches: 2), wait: 101, nap: 3) == nil)
    }

    @Test func stopInTheEndOfAShortWaitIsDoubtedAfterWorkOfAMillisecond() {
        let wait: UInt64 = 12_000
        #expect(afterWait(after(12_700, running: 500, queued: 499, switches: 2), wait: wait) == .milliseconds(12))
        #expect(afterWait(after(12_700, running: 500, queued: 500, switches: 2), wait: wait) == nil)
    }

    @Test func stopInTheEndOfAShortWaitIsKeptUntilTheThreadHasNoWork() {
        var ledger = ledger()
        ledger.addWait(from: 1_000_000, to: 1_000_101)
        ledger.begin(after(700, running: 599, switches: 2))
        let later = after(900, running: 799, switches: 2)

        #expect(ledger.absence(until: later) == .microseconds(101))
        ledger.addWait(from: 1_000_900, to: 1_001_900)
        #expect(ledger.absence(until: later) == nil)
    }

    @Test func workAfterAWaitThatWasLongIsCountedAnew() {
        var ledger = ledger()
        let woken = after(1_000_300, running: 290, switches: 1)
        ledger.addWait(from: 1_000_010, to: 2_000_010) { woken }

        #expect(ledger.absence(until: after(1_100_299, running: 290, switches: 2)) == nil)
        #expect(ledger.absence(until: after(1_100_300, running: 290, switches: 2)) == .milliseconds(100))
    }

    @Test func lessThanATenthOfASecondIsNotTold() {
        #expect(ledger().absence(until: after(200_000, running: 100_001, switches: 1)) == nil)
        #expect(ledger().absence(until: after(200_000, running: 100_000, switches: 1)) == .milliseconds(100))
    }

    @Test func absenceIsKeptUntilTheThreadHasNoWork() {
        var ledger = ledger()
        ledger.begin(after(2_000_000, running: 300_000, switches: 1))
        let later = after(2_000_500, running: 300_500, switches: 1)

        #expect(ledger.absence(until: later) == .milliseconds(1700))
        ledger.addWait(from: 3_000_100, to: 3_000_900)
        #expect(ledger.absence(until: later) == .milliseconds(1700))
        ledger.addWait(from: 3_000_900, to: 3_001_900)
        #expect(ledger.absence(until: later) == nil)
    }

    @Test func beginningLastsForAFewMilliseconds() {
        var ledger = AbsenceLedger()
        #expect(ledger.isStale(at: start.when))

        ledger.begin(start)
        #expect(!ledger.isStale(at: MonotonicInstant(microseconds: 1_000_499)))
        #expect(ledger.isStale(at: MonotonicInstant(microseconds: 1_000_500)))

        ledger.begin(nil)
        #expect(ledger.absence(until: after(2_000_000, running: 0, switches: 1)) == nil)
    }

    @Test func anotherThreadSaysNothing() {
        for usage in [
            ThreadUsage(when: start.when, running: 499, queued: 70, switches: 3),
            ThreadUsage(when: start.when, running: 500, queued: 69, switches: 3),
            ThreadUsage(when: start.when, running: 500, queued: 70, switches: 2),
        ] {
            var ledger = ledger()
            #expect(ledger.absence(until: usage) == nil)
            ledger.addWait(from: 1_000_000, to: 2_000_000) { usage }
            ledger.begin(usage)
            #expect(ledger.absence(until: usage) == nil)
        }
    }

    private func ledger() -> AbsenceLedger {
        var ledger = AbsenceLedger()
        ledger.begin(start)
        return ledger
    }

    /// The absence in a wait, after which the thread had had `usage`; before it there was one of `nap`.
    private func afterWait(_ usage: ThreadUsage, wait: UInt64 = 1_000_000, nap: UInt64 = 0) -> Duration? {
        var ledger = ledger()
        ledger.addWait(from: 1_000_000, to: 1_000_000 + nap)
        ledger.addWait(from: 1_000_000 + nap, to: 1_000_000 + nap + wait) { usage }
        return ledger.absence(until: usage)
    }

    private func after(_ usec: UInt64, running: UInt64, queued: UInt64 = 0, switches: UInt64 = 0) -> ThreadUsage {
        ThreadUsage(
            when: MonotonicInstant(microseconds: start.when.microseconds + usec), running: start.running + running,
            queued: start.queued + queued, switches: start.switches + switches)
    }
}

extension AbsenceLedger {
    fileprivate mutating func addWait(from start: UInt64, to end: UInt64, usage: () -> ThreadUsage? = { nil }) {
        addWait(from: MonotonicInstant(microseconds: start), to: MonotonicInstant(microseconds: end), usage: usage)
    }
}
