// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

/// The pause before a sleep of the machine: it waits for tasks only so long, and may be ended early.
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

    private func pause() {
        fixture.mediator.pauseForSleep(waitingAtMost: .seconds(2)) { [asked] in asked.reports.append($0) }
    }

    @Test func waitForTasksHasAnEndThatKeepsThem() {
        var expired = false
        var waits = 0
        fixture.observe { if case .waiting = $0 { waits += 1 } }
        let task = fixture.mediator.beginBackgroundTask(named: "copy", deadline: .seconds(60)) { expired = true }
        pause()
        #expect(fixture.mediator.state == .inactive)
        fixture.clock.advance(by: .seconds(1))
        task.reportProgress(nextWithin: .seconds(30))
        #expect(fixture.mediator.state == .inactive)

        fixture.clock.advance(by: .seconds(1))

        #expect(moved == [true])
        #expect(fixture.mediator.state == .background)
        #expect(!task.isEnded && !expired)
        #expect(waits == 1)
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
        let slow = fixture.listener("slow", [.willResignActive, .didEnterBackground], .stubborn)
        pause()

        fixture.mediator.hurryPauseForSleep()

        #expect(asked.reports.first?.notifications.flatMap(\.listeners).map(\.outcome) == [.overran, .overran])
        #expect(asked.reports.first?.cutShortBy == .service)
        #expect(fixture.mediator.state == .background)
        slow.finish()
    }

    @Test func hurryingReachesAPauseThatWaitsForItsTurn() {
        let slow = fixture.listener("slow", [.willReload, .willResignActive], .stubborn)
        fixture.perform(.reload)
        pause()

        fixture.mediator.hurryPauseForSleep()

        #expect(asked.reports.isEmpty)
        fixture.clock.advance(by: .seconds(10))
        #expect(asked.reports.map(\.result) == [.completed])
        #expect(fixture.mediator.state == .background)
        slow.finish()
    }

    @Test func hurryingEndsOnlyPauses() {
        let slow = fixture.listener("slow", [.willReload], .stubborn)
        let task = fixture.mediator.beginBackgroundTask(named: "copy", deadline: .seconds(60))
        fixture.perform(.pause)
        fixture.perform(.reload)
        pause()

        fixture.mediator.hurryPauseForSleep()

        #expect(fixture.ended.map(\.trigger) == [.launch, .pause])
        #expect(fixture.mediator.pending == ["slow"])
        slow.finish()
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
