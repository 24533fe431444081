// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryLinux
import BelfrySources
import Foundation
import Lifecycle
import TestSupport
import Testing

/// Regular files stand in for those of a control group; inotify(7) reports their changes in the same way.
@Suite(.timeLimit(.minutes(1)))
struct SuspensionSourceTests {
    private let fixture: SourceFixture

    init() throws {
        fixture = try SourceFixture()
        try write("cgroup.events", "populated 1\nfrozen 0\n")
    }

    @Test func thawPostsTheFrozenTimeOfTheKernel() throws {
        try write("cgroup.stat.local", "frozen_usec 100\n")
        let source = try makeSource()

        try write("cgroup.stat.local", "frozen_usec 2008100\n")
        try write("cgroup.events", "populated 1\nfrozen 0\n")
        try fixture.turnUntilPosted()
        try fixture.loop.turnWithoutWaiting()

        #expect(suspensions == [Suspension(.freezer, duration: .milliseconds(2008))])
        withExtendedLifetime(source) {}
    }

    @Test func sleepIsPostedAfterAClockCheck() throws {
        var clocks = ClockReading(realtime: 0, monotonic: 0, boottime: 0)
        let source = SuspensionSource(loop: fixture.loop, mediator: fixture.mediator, group: nil) { clocks }

        #expect(!source.check())
        clocks.boottime += 90_000_000
        #expect(source.check())

        #expect(suspensions == [Suspension(.sleep, duration: .seconds(90))])
        #expect(fixture.mediator.state == .active)
    }

    @Test func announcedSleepPostsNoDidResume() throws {
        var clocks = ClockReading(realtime: 0, monotonic: 0, boottime: 0)
        let source = SuspensionSource(loop: fixture.loop, mediator: fixture.mediator, group: nil) { clocks }
        func sleep() {
            clocks.boottime += 1_000_000
            source.check()
        }

        fixture.mediator.post(.willSleep)
        sleep()
        // As with suspend-then-hibernate.
        sleep()
        fixture.mediator.post(.didWake)
        #expect(suspensions.isEmpty)
        sleep()

        #expect(suspensions.count == 1)
    }

    @Test func freezeDuringAnAnnouncedSleepPostsNoDidResume() throws {
        try write("cgroup.stat.local", "frozen_usec 100\n")
        let source = try makeSource()
        fixture.mediator.perform(.pause)
        fixture.mediator.post(.willSleep)
        fixture.posted = []

        try write("cgroup.stat.local", "frozen_usec 2008100\n")
        #expect(source.check())
        try write("cgroup.stat.local", "frozen_usec 3008100\n")
        fixture.mediator.post(.didWake)

        #expect(!source.check())
        #expect(fixture.posted.map(\.name) == [.didWake])
        #expect(fixture.mediator.state == .background)
    }

    @Test func sleepInTheBackgroundContinuesTheService() throws {
        var clocks = ClockReading(realtime: 0, monotonic: 0, boottime: 0)
        let source = SuspensionSource(loop: fixture.loop, mediator: fixture.mediator, group: nil) { clocks }
        fixture.mediator.perform(.pause)
        fixture.posted = []

        clocks.boottime += 1_000_000
        source.check()

        #expect(fixture.posted.map(\.name) == [.didResume, .willEnterForeground, .didBecomeActive])
    }

    @Test func groupWithoutAFreezerIsRefusedByName() {
        let group = fixture.directory.path("none")
        let source = SuspensionSource(loop: fixture.loop, mediator: fixture.mediator, group: group)

        #expect(throws: SystemError(ENOENT, verb: "watch", object: group + "/cgroup.events")) {
            try source.watchFreezer()
        }
    }

    private var suspensions: [Suspension] {
        fixture.posted.filter { $0.name == .didResume }.compactMap { Suspension(userInfo: $0.userInfo) }
    }

    private func makeSource(
        readClocks: @escaping () -> ClockReading = { .now }
    ) throws -> SuspensionSource {
        let group = fixture.directory.url.path
        let source = SuspensionSource(
            loop: fixture.loop, mediator: fixture.mediator, group: group, readClocks: readClocks)
        try source.watchFreezer()
        return source
    }

    /// Writes without replacing the file, as the kernel does.
    private func write(_ name: String, _ text: String) throws {
        let stream = try #require(fopen(fixture.directory.path(name), "w"))
        fputs(text, stream)
        fclose(stream)
    }
}

struct SuspensionLedgerTests {
    private let clocks = ClockReading(realtime: 0, monotonic: 10_000_000, boottime: 10_000_000)

    @Test func elapsedTimeIsNoSuspension() {
        var ledger = SuspensionLedger(SuspensionReading(frozen: 5, clocks: clocks))

        #expect(ledger.update(reading(frozen: 5, after: 60_000_000)) == [])
        #expect(ledger.update(reading(frozen: 5, after: 70_000_000), hasThawed: true) == [])
    }

    @Test func frozenTimeIsExactAndCountedOnce() {
        var ledger = SuspensionLedger(SuspensionReading(frozen: 5, clocks: clocks))
        let thawed = reading(frozen: 2_000_005, after: 3_000_000)

        #expect(
            ledger.update(thawed, hasThawed: true) == [Suspension(.freezer, duration: .seconds(2))])
        #expect(ledger.update(thawed, hasThawed: true) == [])
    }

    @Test func withoutACountTheLastReadingBoundsTheFreeze() {
        var ledger = SuspensionLedger(SuspensionReading(frozen: nil, clocks: clocks))

        let found = ledger.update(reading(after: 4_000_000), hasThawed: true)

        #expect(found == [Suspension(.freezer, duration: .seconds(4), isExact: false)])
    }

    @Test func secondReportOfAThawIsIgnored() {
        var ledger = SuspensionLedger(SuspensionReading(frozen: nil, clocks: clocks))
        _ = ledger.update(reading(after: 4_000_000), hasThawed: true)

        #expect(ledger.update(reading(after: 4_019_000), hasThawed: true) == [])
        let next = ledger.update(reading(after: 4_039_000), hasThawed: true)

        #expect(next == [Suspension(.freezer, duration: .milliseconds(20), isExact: false)])
    }

    @Test func sleepIsReportedBesideAFreeze() {
        var ledger = SuspensionLedger(SuspensionReading(frozen: 0, clocks: clocks))
        var woken = reading(frozen: 7, after: 1_000_000)
        woken.clocks.boottime += 30_000_000

        #expect(
            ledger.update(woken) == [
                Suspension(.freezer, duration: .microseconds(7)),
                Suspension(.sleep, duration: .seconds(30)),
            ])
    }

    private func reading(frozen: UInt64? = nil, after passed: Int64) -> SuspensionReading {
        let clocks = ClockReading(
            realtime: passed, monotonic: clocks.monotonic + passed, boottime: clocks.boottime + passed)
        return SuspensionReading(frozen: frozen, clocks: clocks)
    }
}
