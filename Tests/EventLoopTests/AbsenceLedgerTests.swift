// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import EventLoop
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
        ledger.addWait(from: instant(1_000_010), to: instant(2_800_010))

        #expect(ledger.absence(until: after(2_000_000, running: 199_500, switches: 1)) == nil)
        #expect(ledger.absence(until: after(2_000_000, running: 120_000, switches: 1)) == nil)
        #expect(ledger.absence(until: after(2_000_000, running: 120_000, switches: 2)) == .milliseconds(80))
        #expect(ledger.absence(until: after(2_000_000, running: 80_000, switches: 1)) == .milliseconds(120))
    }

    @Test func stopInTheEndOfAWaitIsSeenByWhatItGaveUp() {
        var ledger = ledger()
        ledger.addWait(from: instant(1_000_010), to: instant(2_000_010))
        ledger.addWait(from: instant(2_000_100), to: instant(2_000_105))

        #expect(ledger.absence(until: after(1_000_300, running: 290, switches: 1)) == nil)
        #expect(ledger.absence(until: after(1_000_300, running: 290, switches: 2)) == .seconds(1))
        // It may have slept in this one.
        ledger.addWait(from: instant(2_000_200), to: instant(2_000_250))
        #expect(ledger.absence(until: after(1_000_300, running: 240, switches: 2)) == nil)
        #expect(ledger.absence(until: after(1_000_300, running: 240, switches: 3)) == .seconds(1))
    }

    @Test func workThatBlocksAfterALongWaitIsNoStop() {
        var ledger = ledger()
        ledger.addWait(from: instant(1_000_010), to: instant(1_068_010))

        // A file was written for good in between.
        #expect(ledger.absence(until: after(68_400, running: 250, switches: 2)) == nil)
        #expect(ledger.absence(until: after(68_400, running: 390, switches: 2)) == .milliseconds(68))
    }

    @Test func workThatBlocksAfterShortWaitsIsNoStop() {
        var ledger = ledger()
        ledger.addWait(from: instant(1_000_010), to: instant(1_000_900))

        #expect(ledger.absence(until: after(1_000, running: 110, switches: 5)) == nil)
    }

    @Test func lessThanAMillisecondIsNotTold() {
        #expect(ledger().absence(until: after(10_000, running: 9_001, switches: 1)) == nil)
        #expect(ledger().absence(until: after(10_000, running: 9_000, switches: 1)) == .milliseconds(1))
    }

    @Test func absenceIsKeptUntilTheThreadHasNoWork() {
        var ledger = ledger()
        ledger.begin(after(2_000_000, running: 300_000, switches: 1))
        let later = after(2_000_500, running: 300_500, switches: 1)

        #expect(ledger.absence(until: later) == .milliseconds(1700))
        ledger.addWait(from: instant(3_000_100), to: instant(3_000_900))
        #expect(ledger.absence(until: later) == .milliseconds(1700))
        ledger.addWait(from: instant(3_000_900), to: instant(3_001_900))
        #expect(ledger.absence(until: later) == nil)
    }

    @Test func beginningLastsForAFewMilliseconds() {
        var ledger = AbsenceLedger()
        #expect(ledger.isStale(at: start.when))

        ledger.begin(start)
        #expect(!ledger.isStale(at: instant(1_003_999)))
        #expect(ledger.isStale(at: instant(1_004_000)))

        ledger.begin(nil)
        #expect(ledger.absence(until: after(2_000_000, running: 0, switches: 1)) == nil)
    }

    private func ledger() -> AbsenceLedger {
        var ledger = AbsenceLedger()
        ledger.begin(start)
        return ledger
    }

    private func instant(_ usec: UInt64) -> MonotonicInstant { MonotonicInstant(microseconds: usec) }

    private func after(_ usec: UInt64, running: UInt64, queued: UInt64 = 0, switches: UInt64 = 0) -> ThreadUsage {
        ThreadUsage(
            when: instant(start.when.microseconds + usec), running: start.running + running,
            queued: start.queued + queued, switches: start.switches + switches)
    }
}
