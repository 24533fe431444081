// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Lifecycle
import BelfrySources
import Testing

struct SuspensionLedgerTests {
    private let clocks = ClockReading(realtime: 0, monotonic: 10_000_000, boottime: 10_000_000)

    @Test func timeThatPassesIsNoSuspension() {
        var ledger = SuspensionLedger(SuspensionReading(frozen: 5, hasThawed: false, clocks: clocks))

        #expect(ledger.settle(reading(frozen: 5, after: 60_000_000), interruption: nil) == [])
        #expect(ledger.settle(reading(frozen: 5, hasThawed: true, after: 70_000_000), interruption: nil) == [])
    }

    @Test func frozenTimeIsExactAndCountedOnce() {
        var ledger = SuspensionLedger(SuspensionReading(frozen: 5, hasThawed: false, clocks: clocks))
        let thawed = reading(frozen: 2_000_005, hasThawed: true, after: 3_000_000)

        #expect(
            ledger.settle(thawed, interruption: nil) == [Suspension(.freezer, duration: .seconds(2), isExact: true)])
        #expect(ledger.settle(thawed, interruption: nil) == [])
    }

    @Test func withoutACountTheWaitBoundsTheFreeze() {
        var ledger = SuspensionLedger(SuspensionReading(frozen: nil, hasThawed: false, clocks: clocks))
        let wait = WaitInterruption(
            began: MonotonicInstant(microseconds: 11_000_000), ended: MonotonicInstant(microseconds: 13_000_000))

        #expect(ledger.settle(reading(after: 1_000_000), interruption: wait) == [])
        let found = ledger.settle(reading(hasThawed: true, after: 3_000_000), interruption: wait)

        #expect(found == [Suspension(.freezer, duration: .seconds(2), isExact: false)])
    }

    @Test func withoutAWaitTheLastReadingBoundsIt() {
        var ledger = SuspensionLedger(SuspensionReading(frozen: nil, hasThawed: false, clocks: clocks))

        let found = ledger.settle(reading(hasThawed: true, after: 4_000_000), interruption: nil)

        #expect(found == [Suspension(.freezer, duration: .seconds(4), isExact: false)])
    }

    @Test func whatFollowsAThawAtOnceIsThatThawAgain() {
        var ledger = SuspensionLedger(SuspensionReading(frozen: nil, hasThawed: false, clocks: clocks))
        _ = ledger.settle(reading(hasThawed: true, after: 4_000_000), interruption: nil)

        #expect(ledger.settle(reading(hasThawed: true, after: 4_019_000), interruption: nil) == [])
        let next = ledger.settle(reading(hasThawed: true, after: 4_039_000), interruption: nil)

        #expect(next == [Suspension(.freezer, duration: .milliseconds(20), isExact: false)])
    }

    @Test func sleepIsToldBesideAFreeze() {
        var ledger = SuspensionLedger(SuspensionReading(frozen: 0, hasThawed: false, clocks: clocks))
        var woken = reading(frozen: 7, after: 1_000_000)
        woken.clocks.boottime += 30_000_000

        #expect(
            ledger.settle(woken, interruption: nil) == [
                Suspension(.freezer, duration: .microseconds(7), isExact: true),
                Suspension(.sleep, duration: .seconds(30), isExact: true),
            ])
    }

    private func reading(frozen: UInt64? = nil, hasThawed: Bool = false, after passed: Int64) -> SuspensionReading {
        let clocks = ClockReading(
            realtime: passed, monotonic: clocks.monotonic + passed, boottime: clocks.boottime + passed)
        return SuspensionReading(frozen: frozen, hasThawed: hasThawed, clocks: clocks)
    }
}
