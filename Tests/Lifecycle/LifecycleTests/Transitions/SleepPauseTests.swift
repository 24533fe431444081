// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

/// The pause before a sleep of the machine: it may be revoked, or ended early.
@Suite(.timeLimit(.minutes(1)))
struct SleepPauseTests {
    let fixture = MediatorFixture()
    private let asked: Asked

    private final class Asked {
        var reports: [TransitionReport] = []
    }

    init() {
        asked = Asked()
        fixture.perform(.launch)
    }

    private var moved: [Bool] { asked.reports.map { !$0.notifications.isEmpty } }

    private func pause() { fixture.mediator.pauseForSleep { [asked] in asked.reports.append($0) } }

    @Test func revokedPauseKeepsTheTask() {
        let task = fixture.mediator.beginBackgroundTask(named: "copy", deadline: .seconds(60))
        pause()

        #expect(fixture.mediator.revokePauseForSleep())

        #expect(moved == [false])
        #expect(fixture.mediator.state == .active && !fixture.mediator.isInTransition)
        #expect(!task.isEnded)
        fixture.perform(.pause)
        #expect(fixture.mediator.state == .active)
        task.end()
        #expect(fixture.mediator.state == .background)
    }

    @Test func hurriedPauseEndsAtOnceAndKeepsTheTask() {
        let task = fixture.mediator.beginBackgroundTask(named: "copy", deadline: .seconds(60))
        pause()

        fixture.mediator.hurryPauseForSleep()

        #expect(moved == [true])
        #expect(fixture.mediator.state == .background)
        #expect(!task.isEnded)
    }

    @Test func hurriedPauseDoesNotWaitForListeners() {
        fixture.listener("slow", [.willResignActive, .didEnterBackground], .stubborn)
        pause()
        #expect(!fixture.mediator.revokePauseForSleep())

        fixture.mediator.hurryPauseForSleep()

        #expect(asked.reports.first?.notifications.flatMap(\.listeners).map(\.outcome) == [.overran, .overran])
        #expect(asked.reports.first?.cutShortBy == .service)
        #expect(fixture.mediator.state == .background)
    }

    @Test func revokedPauseKeepsOtherPauses() {
        let slow = fixture.listener("slow", [.willReload], .stubborn)
        fixture.perform(.reload, .pause)
        pause()

        fixture.mediator.hurryPauseForSleep()

        #expect(asked.reports.map(\.result) == [.overtaken])
        #expect(fixture.ended.count == 1)
        fixture.mediator.removeListener(slow)
        fixture.clock.advance(by: .seconds(10))
        #expect(fixture.ended.map(\.trigger) == [.launch, .reload, .pause])
        #expect(fixture.mediator.state == .background)
    }

    @Test func hurryingEndsOnlyPauses() {
        fixture.listener("slow", [.willReload], .stubborn)
        let task = fixture.mediator.beginBackgroundTask(named: "copy", deadline: .seconds(60))
        fixture.perform(.pause)
        fixture.perform(.reload)
        pause()

        fixture.mediator.hurryPauseForSleep()

        #expect(fixture.ended.map(\.trigger) == [.launch, .pause])
        #expect(fixture.mediator.pending == ["slow"])
        #expect(moved == [false])
        withExtendedLifetime(task) {}
    }

    @Test func pausesOfOthersAreCounted() {
        let task = fixture.mediator.beginBackgroundTask(named: "copy", deadline: .seconds(60))
        fixture.perform(.pause)
        pause()
        fixture.perform(.pause)
        #expect(fixture.mediator.pauses == 2)

        task.end()

        #expect(fixture.ended.last?.notifications.isEmpty == true && fixture.ended.count == 3)
        #expect(moved == [false])
    }
}
