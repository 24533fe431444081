// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfrySources
import Lifecycle
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ClockSourceTests {
    private let fixture: SourceFixture
    private let start = ClockReading(realtime: 1_000_000_000, monotonic: 5_000_000, boottime: 7_000_000)

    init() throws { fixture = try SourceFixture() }

    @Test func elapsedTimeIsNeitherSleepNorStep() {
        let later = moved(realtime: 9_000_500, monotonic: 9_000_000, boottime: 9_000_999)

        #expect(later.slept(since: start) == .zero && later.step(since: start) == .zero)
    }

    @Test func sleepIsTheLeadOfBoottimeOverMonotonic() {
        let later = moved(realtime: 60_000_000, monotonic: 1_000_000, boottime: 60_000_000)

        #expect(later.slept(since: start) == .seconds(59) && later.step(since: start) == .zero)
    }

    @Test(arguments: [3600, -3600]) func stepIsTheLeadOfRealtimeOverBoottime(seconds: Int64) {
        let later = moved(realtime: 2_000_000 + seconds * 1_000_000, monotonic: 2_000_000, boottime: 2_000_000)

        #expect(later.slept(since: start) == .zero && later.step(since: start) == .seconds(seconds))
    }

    @Test func machineClocksAreConsistent() {
        let first = ClockReading.now
        let second = ClockReading.now

        #expect(second.monotonic >= first.monotonic && second.slept(since: first) == .zero)
    }

    @Test func eachStepIsPostedOnce() {
        var reading = start
        let source = ClockSource(mediator: fixture.mediator) { reading }
        source.check()
        #expect(fixture.posted.isEmpty)

        reading.realtime -= 2_500_000
        source.check()
        source.check()
        reading.realtime += 2_500_000
        source.check()

        #expect(fixture.posted.map(\.name) == [.significantTimeChange, .significantTimeChange])
        #expect(
            fixture.posted.map { TimeChange(userInfo: $0.userInfo) } == [
                .clock(step: .milliseconds(-2500)), .clock(step: .milliseconds(2500)),
            ])
    }

    @Test func clockSetWatchDoesNotFireWithoutAClockChange() throws {
        var fired = 0
        let watch = try ClockSetWatch(loop: fixture.loop) { fired += 1 }

        try fixture.loop.turnWithoutWaiting()

        #expect(fired == 0)
        withExtendedLifetime(watch) {}
    }

    private func moved(realtime: Int64, monotonic: Int64, boottime: Int64) -> ClockReading {
        ClockReading(
            realtime: start.realtime + realtime, monotonic: start.monotonic + monotonic,
            boottime: start.boottime + boottime)
    }
}
