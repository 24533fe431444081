// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
@testable import BelfrySources
import Foundation
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
        watch.check()
        try fixture.loop.turnWithoutWaiting()
        #expect(fired == 1)
    }

    // MARK: Days

    @Test(
        arguments: [
            ("UTC", "2026-11-27T23:59:59Z", "2026-11-28T00:00:00Z"),
            ("UTC", "2026-11-28T00:00:00Z", "2026-11-29T00:00:00Z"),
            ("America/New_York", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00-05:00"),
            // Days of 23 and of 25 hours.
            ("Europe/Berlin", "2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"),
            ("Europe/Berlin", "2026-10-25T00:00:00+02:00", "2026-10-26T00:00:00+01:00"),
            // Summer time is half an hour.
            ("Australia/Lord_Howe", "2026-10-04T00:00:00+10:30", "2026-10-05T00:00:00+11:00"),
            ("Australia/Lord_Howe", "2026-04-05T00:00:00+11:00", "2026-04-06T00:00:00+10:30"),
            // Days without a midnight, and one with two.
            ("America/Sao_Paulo", "2018-11-03T12:00:00-03:00", "2018-11-04T01:00:00-02:00"),
            ("Asia/Beirut", "2022-03-26T12:00:00+02:00", "2022-03-27T01:00:00+03:00"),
            ("America/Havana", "2026-10-31T12:00:00-04:00", "2026-11-01T00:00:00-04:00"),
            ("America/Havana", "2026-11-01T00:00:00-04:00", "2026-11-02T00:00:00-05:00"),
            // At midnight it was 23:00 again.
            ("America/Sao_Paulo", "2018-02-17T12:00:00-02:00", "2018-02-18T00:00:00-03:00"),
            // There was no 30th.
            ("Pacific/Apia", "2011-12-29T12:00:00-10:00", "2011-12-31T00:00:00+14:00"),
        ] as [(String, String, String)])
    func nextDayBeginsAtMidnightOfTheZone(name: String, now: String, next: String) throws {
        let zone = try #require(TimeZone(identifier: name))
        let reading = try ClockReading(realtime: seconds(now) * 1_000_000 + 999_999, monotonic: 0, boottime: 0)

        let day = reading.nextDay { Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval($0)))) }

        #expect(try day == seconds(next))
    }

    @Test func daysAreOneNotificationAndOnlyForThoseWhoAskByName() {
        var reading = start
        let source = ClockSource(mediator: fixture.mediator, readClocks: { reading }, offset: { _ in 0 })
        func pass(days: Int64) {
            reading.realtime += days * 86_400_000_000
            reading.boottime += days * 86_400_000_000
        }

        pass(days: 1)
        source.check()
        let observation = fixture.mediator.addObserver(of: TimeChange.self) { _ in }
        source.check()
        #expect(fixture.posted.isEmpty)
        pass(days: 2)
        source.check()
        source.check()

        #expect(fixture.posted.map { TimeChange(userInfo: $0.userInfo) } == [.day])
        observation.cancel()
    }

    @Test func clockThatIsSetOverMidnightIsAStepAlone() {
        var reading = start
        let source = ClockSource(mediator: fixture.mediator, readClocks: { reading }, offset: { _ in 0 })
        let observation = fixture.mediator.addObserver(of: TimeChange.self) { _ in }

        reading.realtime += 86_400_000_000
        source.check()
        source.check()

        #expect(fixture.posted.map { TimeChange(userInfo: $0.userInfo) } == [.clock(step: .seconds(86_400))])
        observation.cancel()
    }

    /// It is 00:16:40 UTC. In the new zone it is 23:16:40.
    @Test func dayBeginsByTheZoneOfTheLastCheck() {
        var (reading, offset) = (start, Int64(0))
        let source = ClockSource(mediator: fixture.mediator, readClocks: { reading }, offset: { _ in offset })
        let observation = fixture.mediator.addObserver(of: TimeChange.self) { _ in }

        offset = 82_800
        source.check()
        reading = moved(realtime: 2_599_000_000, monotonic: 2_599_000_000, boottime: 2_599_000_000)
        source.check()
        #expect(fixture.posted.isEmpty)
        reading = moved(realtime: 2_600_000_000, monotonic: 2_600_000_000, boottime: 2_600_000_000)
        source.check()

        #expect(fixture.posted.map { TimeChange(userInfo: $0.userInfo) } == [.day])
        observation.cancel()
    }

    private func seconds(_ text: String) throws -> Int64 {
        Int64(try #require(ISO8601DateFormatter().date(from: text)).timeIntervalSince1970)
    }

    private func moved(realtime: Int64, monotonic: Int64, boottime: Int64) -> ClockReading {
        ClockReading(
            realtime: start.realtime + realtime, monotonic: start.monotonic + monotonic,
            boottime: start.boottime + boottime)
    }
}
