// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import BelfrySources
import Testing

struct SuspensionLedgerTests {
    private let clocks = ClockReading(realtime: 0, monotonic: 10_000_000, boottime: 10_000_000)

    @Test func timeThatPassesIsNoSuspension() {
        var ledger = SuspensionLedger(SuspensionReading(frozen: 5, hasThawed: false, clocks: clocks))

        #expect(ledger.update(reading(frozen: 5, after: 60_000_000)) == [])
        #expect(ledger.update(reading(frozen: 5, hasThawed: true, after: 70_000_000)) == [])
    }

    @Test func frozenTimeIsExactAndCountedOnce() {
        var ledger = SuspensionLedger(SuspensionReading(frozen: 5, hasThawed: false, clocks: clocks))
        let thawed = reading(frozen: 2_000_005, hasThawed: true, after: 3_000_000)

        #expect(
            ledger.update(thawed) == [Suspension(.freezer, duration: .seconds(2))])
        #expect(ledger.update(thawed) == [])
    }

    @Test func withoutACountTheLastReadingBoundsTheFreeze() {
        var ledger = SuspensionLedger(SuspensionReading(frozen: nil, hasThawed: false, clocks: clocks))

        let found = ledger.update(reading(hasThawed: true, after: 4_000_000))

        #expect(found == [Suspension(.freezer, duration: .seconds(4), isExact: false)])
    }

    @Test func secondReportOfAThawIsIgnored() {
        var ledger = SuspensionLedger(SuspensionReading(frozen: nil, hasThawed: false, clocks: clocks))
        _ = ledger.update(reading(hasThawed: true, after: 4_000_000))

        #expect(ledger.update(reading(hasThawed: true, after: 4_019_000)) == [])
        let next = ledger.update(reading(hasThawed: true, after: 4_039_000))

        #expect(next == [Suspension(.freezer, duration: .milliseconds(20), isExact: false)])
    }

    @Test func sleepIsReportedBesideAFreeze() {
        var ledger = SuspensionLedger(SuspensionReading(frozen: 0, hasThawed: false, clocks: clocks))
        var woken = reading(frozen: 7, after: 1_000_000)
        woken.clocks.boottime += 30_000_000

        #expect(
            ledger.update(woken) == [
                Suspension(.freezer, duration: .microseconds(7)),
                Suspension(.sleep, duration: .seconds(30)),
            ])
    }

    private func reading(frozen: UInt64? = nil, hasThawed: Bool = false, after passed: Int64) -> SuspensionReading {
        let clocks = ClockReading(
            realtime: passed, monotonic: clocks.monotonic + passed, boottime: clocks.boottime + passed)
        return SuspensionReading(frozen: frozen, hasThawed: hasThawed, clocks: clocks)
    }
}
