// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Foundation
import Lifecycle
import BelfrySources
import BelfryLinux
import TestSupport
import Testing

/// Ordinary files stand in for those of a control group; they report their changes the same way.
@Suite(.timeLimit(.minutes(1)))
struct SuspensionSourceTests {
    private let fixture: SourceFixture

    init() throws {
        fixture = try SourceFixture()
        try write("cgroup.events", "populated 1\nfrozen 0\n")
    }

    @Test func thawTellsTheTimeThatTheKernelCounted() throws {
        try write("cgroup.stat.local", "frozen_usec 100\n")
        let source = try makeSource()

        try write("cgroup.stat.local", "frozen_usec 2008100\n")
        try write("cgroup.events", "populated 1\nfrozen 0\n")
        try fixture.untilTold()
        try fixture.turnAWhile()

        #expect(suspensions == [Suspension(.freezer, duration: .milliseconds(2008))])
        withExtendedLifetime(source) {}
    }

    @Test func thawWithoutACountIsToldAsABound() throws {
        var clocks = ClockReading(realtime: 0, monotonic: 0, boottime: 0)
        let source = try makeSource { clocks }

        clocks.monotonic += 1_000_000
        clocks.boottime += 1_000_000
        try write("cgroup.events", "populated 1\nfrozen 0\n")
        try fixture.untilTold()

        #expect(suspensions.first == Suspension(.freezer, duration: .seconds(1), isExact: false))
        withExtendedLifetime(source) {}
    }

    @Test func otherEventsOfTheGroupAreNoNews() throws {
        try write("cgroup.stat.local", "frozen_usec 100\n")
        let source = try makeSource()

        try write("cgroup.events", "populated 1\nfrozen 0\n")
        try fixture.turnAWhile()

        #expect(fixture.told.isEmpty)
        withExtendedLifetime(source) {}
    }

    @Test func sleepIsToldWhenTheClockWasSet() throws {
        var clocks = ClockReading(realtime: 0, monotonic: 0, boottime: 0)
        let source = SuspensionSource(loop: fixture.loop, mediator: fixture.mediator, group: nil) { clocks }

        #expect(!source.check())
        clocks.boottime += 90_000_000
        #expect(source.check())

        #expect(suspensions == [Suspension(.sleep, duration: .seconds(90))])
        #expect(fixture.mediator.state == .active)
    }

    @Test func sleepThatWasAnnouncedIsLeftToWhoeverTellsOfTheWaking() throws {
        var clocks = ClockReading(realtime: 0, monotonic: 0, boottime: 0)
        let source = SuspensionSource(loop: fixture.loop, mediator: fixture.mediator, group: nil) { clocks }
        func sleep() {
            clocks.boottime += 1_000_000
            source.check()
        }

        fixture.mediator.post(.willSleep)
        sleep()
        // As when it hibernates after a while.
        sleep()
        fixture.mediator.post(.didWake)
        #expect(suspensions.isEmpty)
        sleep()

        #expect(suspensions.count == 1)
    }

    @Test func freezeWithinAnAnnouncedSleepIsLeftToWhoeverTellsOfTheWaking() throws {
        try write("cgroup.stat.local", "frozen_usec 100\n")
        let source = try makeSource()
        fixture.mediator.perform(.pause)
        fixture.mediator.post(.willSleep)
        fixture.told = []

        try write("cgroup.stat.local", "frozen_usec 2008100\n")
        #expect(source.check())
        try write("cgroup.stat.local", "frozen_usec 3008100\n")
        fixture.mediator.post(.didWake)

        #expect(!source.check())
        #expect(fixture.told.map(\.name) == [.didWake])
        #expect(fixture.mediator.state == .background)
    }

    @Test func returnInTheBackgroundContinuesTheService() throws {
        var clocks = ClockReading(realtime: 0, monotonic: 0, boottime: 0)
        let source = SuspensionSource(loop: fixture.loop, mediator: fixture.mediator, group: nil) { clocks }
        fixture.mediator.perform(.pause)
        fixture.told = []

        clocks.boottime += 1_000_000
        source.check()

        #expect(fixture.told.map(\.name) == [.didResume, .willEnterForeground, .didBecomeActive])
    }

    @Test func groupWithoutAFreezerIsRefusedByName() {
        let group = fixture.directory.path("none")
        let source = SuspensionSource(loop: fixture.loop, mediator: fixture.mediator, group: group)

        #expect(throws: SystemError(ENOENT, verb: "watch", object: group + "/cgroup.events")) {
            try source.watchFreezer()
        }
    }

    private var suspensions: [Suspension] {
        fixture.told.filter { $0.name == .didResume }.compactMap { Suspension(userInfo: $0.userInfo) }
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

    /// Writes without replacing the file, as the kernel's are.
    private func write(_ name: String, _ text: String) throws {
        let stream = try #require(fopen(fixture.directory.path(name), "w"))
        fputs(text, stream)
        fclose(stream)
    }
}
