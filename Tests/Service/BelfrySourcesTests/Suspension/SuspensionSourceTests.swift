// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryLinux
@testable import BelfrySources
import Foundation
import Lifecycle
import TestSupport
import Testing

/// Regular files stand in for those of a control group, which the kernel does not report; a real group where one can be made.
@Suite(.timeLimit(.minutes(1)))
struct SuspensionSourceTests {
    private let fixture: SourceFixture

    init() throws {
        fixture = try SourceFixture()
    }

    /// Where control groups of version 2 can be made: systemd mounts them alone, or beside those of version 1.
    nonisolated static let groups = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].first {
        access($0 + "/cgroup.procs", W_OK) == 0 && access($0 + "/cgroup.controllers", F_OK) == 0
    }

    @Test(.enabled(if: groups != nil, "making a control group needs root"))
    func thawIsPostedOnceAndAGroupThatIsGoneEndsTheWatch() throws {
        let group = try #require(Self.groups) + "/belfry-test-\(getpid())"
        try #require(mkdir(group, 0o755) == 0)
        defer { rmdir(group) }
        var clocks = ClockReading(realtime: 0, monotonic: 0, boottime: 0)
        let source = SuspensionSource(loop: fixture.loop, mediator: fixture.mediator, group: group) {
            clocks.monotonic += 1_000_000
            clocks.boottime += 1_000_000
            return clocks
        }
        try source.watchFreezer()
        try fixture.loop.turnWithoutWaiting()
        func freeze(_ value: String) throws {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: group + "/cgroup.freeze"))
            try file.write(contentsOf: Data(value.utf8))
            try file.close()
        }

        for round in 1...3 {
            // A process in the group could not read in between.
            try freeze("1")
            try freeze("0")
            try fixture.turnUntilPosted(round)
        }
        try fixture.loop.turnWithoutWaiting()
        rmdir(group)
        try fixture.loop.turnWithoutWaiting()

        #expect(suspensions.count == 3 && suspensions.allSatisfy { $0.cause == .freezer })
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
        let source = SuspensionSource(
            loop: fixture.loop, mediator: fixture.mediator, group: fixture.directory.url.path)
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
