// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BackgroundTaskTests {
    let fixture = MediatorFixture()

    init() { fixture.perform(.launch) }

    @Test(arguments: [LifecycleTrigger.pause, .stop])
    func leavingWaitsForItsEnd(trigger: LifecycleTrigger) {
        let task = fixture.mediator.beginBackgroundTask(named: "upload", deadline: .seconds(20))

        fixture.perform(trigger)
        #expect(fixture.mediator.state == .inactive)
        fixture.clock.advance(by: .seconds(5))
        #expect(task.remainingTime == .seconds(15))
        task.end()

        #expect(fixture.mediator.state == (trigger == .pause ? .background : .notRunning))
        #expect(fixture.clock.pendingTimers == 0)
    }

    @Test func taskWithoutAnEndLeavesTimeForTheListeners() async throws {
        let slow = fixture.slow(deadline: .seconds(10))
        let task = fixture.mediator.beginBackgroundTask(named: "hold", deadline: .seconds(31_536_000))
        let plan = fixture.mediator.plan(for: .stop)
        let share = try #require(plan.steps.last?.groups.joined().first?.share)
        #expect(plan.tasks.map(\.remaining) == [.seconds(15)] && share == .seconds(10))
        fixture.perform(.stop)

        // The listener gets its 10 s, and the task the rest.
        fixture.clock.advance(by: .seconds(15))
        await fixture.until { slow.progress != nil }
        #expect(task.isEnded && fixture.mediator.remainingTime == .seconds(10))
        slow.finish()
    }

    @Test func secondStopExpiresTasksBegunDuringTheFirst() throws {
        var task: BackgroundTask?
        let listener = ClosureListener("working") { [unowned mediator = fixture.mediator] in
            $0.on(.willTerminate) { _ in
                task = mediator.beginBackgroundTask(named: "upload", deadline: .seconds(300))
            }
        }
        try fixture.mediator.addListener(listener)

        fixture.perform(.stop, .stop)

        #expect(task?.expiry == .secondStop)
        #expect(fixture.ended.count == 3)
        #expect(fixture.mediator.state == .notRunning)
    }

    @Test(arguments: [LifecycleTrigger.pause, .stop])
    func taskThatBeginsDuringTheWaitIsWaitedFor(trigger: LifecycleTrigger) {
        _ = fixture.mediator.beginBackgroundTask(named: "first", deadline: .seconds(2))
        let first = fixture.mediator.beginBackgroundTask(named: "another", deadline: .seconds(2))
        fixture.perform(trigger)
        fixture.clock.advance(by: .milliseconds(1200))

        let second = fixture.mediator.beginBackgroundTask(named: "second", deadline: .seconds(10))
        fixture.clock.advance(by: .seconds(1))
        #expect(first.expiry == .deadline && !second.isEnded && fixture.mediator.pending == ["second"])
        fixture.clock.advance(by: .seconds(9) - .microseconds(1))
        #expect(fixture.mediator.state == .inactive)
        fixture.clock.advance(by: .microseconds(1))

        #expect(second.expiry == .deadline)
        #expect(fixture.mediator.state == (trigger == .pause ? .background : .notRunning))
    }

    @Test func taskThatBeginsWhenTheLastExpiresIsWaitedFor() {
        var next: BackgroundTask?
        let first = fixture.mediator.beginBackgroundTask(named: "first", deadline: .seconds(2)) { [fixture] in
            next = fixture.mediator.beginBackgroundTask(named: "next", deadline: .seconds(5))
        }
        fixture.perform(.pause)

        fixture.clock.advance(by: .seconds(6))

        #expect(first.isEnded && fixture.mediator.pending == ["next"])
        next?.end()
        #expect(fixture.mediator.state == .background)
    }

    /// Whenever they begin, and however many there are.
    @Test func tasksThatBeginDuringTheWaitLeaveTimeForTheListeners() async {
        let slow = fixture.slow(deadline: .seconds(10))
        var tasks = [fixture.mediator.beginBackgroundTask(named: "first", deadline: .seconds(5))]
        fixture.perform(.stop)

        for number in 0..<14 {
            fixture.clock.advance(by: .seconds(1))
            tasks.append(fixture.mediator.beginBackgroundTask(named: "hold \(number)", deadline: .seconds(100)))
        }
        #expect(tasks.dropFirst().allSatisfy { !$0.isEnded })
        fixture.clock.advance(by: .seconds(1))
        await fixture.until { slow.progress != nil }

        #expect(tasks.dropFirst().allSatisfy { $0.expiry == .share })
        #expect(fixture.mediator.remainingTime == .seconds(10))
        slow.finish()
    }

    @Test func taskThatBeginsInAnAnswerAfterTheOthersHaveExpiredIsWaitedFor() throws {
        let slow = fixture.slow(deadline: .seconds(10))
        var task: BackgroundTask?
        let listener = ClosureListener("working") { [unowned mediator = fixture.mediator] in
            $0.on(.didEnterBackground) { _ in
                task = mediator.beginBackgroundTask(named: "upload", deadline: .seconds(300))
            }
        }
        try fixture.mediator.addListener(listener)
        let hold = fixture.mediator.beginBackgroundTask(named: "hold", deadline: .seconds(31_536_000))
        fixture.perform(.pause)

        fixture.clock.advance(by: hold.remainingTime + fixture.mediator.deadlines.transition)

        #expect(hold.expiry == .share && task?.expiry == .share && fixture.mediator.state == .background)
        #expect(slow.progress == nil)
    }

    @Test func stopAskedForByTheReportOfAWaitIsWaitedForOnce() {
        let task = fixture.mediator.beginBackgroundTask(named: "job", deadline: .seconds(4))
        var waits: [LifecycleTrigger] = []
        fixture.observe { [unowned fixture] in
            guard case .waiting(let trigger, _) = $0 else { return }
            waits.append(trigger)
            if trigger == .pause { fixture.perform(.stop) }
        }

        fixture.perform(.pause)
        #expect(waits == [.pause, .stop])
        task.end()

        #expect(fixture.mediator.state == .notRunning)
        #expect(fixture.clock.pendingTimers == 0)
    }

    /// A listener that is told within the change would use the property that is being changed, which ends the process.
    @Test func releaseOfATaskTellsNobodyWithinTheChangeOfTheProperty() throws {
        final class Owner: LifecycleListener {
            let name = "owner"
            var task: BackgroundTask?
            var answers: [LifecycleAnswer] {
                on(.didBecomeActive) { [self] _ in task = nil }
            }
        }
        let owner = Owner()
        try fixture.mediator.addListener(owner)
        owner.task = fixture.mediator.beginBackgroundTask(named: "job", deadline: .seconds(4))
        fixture.perform(.pause, .resume)
        #expect(fixture.mediator.state == .inactive)

        owner.task = nil

        #expect(fixture.mediator.state == .inactive && fixture.clock.pendingTimers == 1)
        fixture.clock.advance(by: .zero)
        #expect(fixture.mediator.state == .active && fixture.clock.pendingTimers == 0)
    }

    @Test func taskThatBeginsAfterTheReleaseOfTheLastIsWaitedFor() {
        var task: BackgroundTask? = fixture.mediator.beginBackgroundTask(named: "first", deadline: .seconds(4))
        #expect(task != nil)
        fixture.perform(.pause)
        task = nil
        task = fixture.mediator.beginBackgroundTask(named: "second", deadline: .seconds(4))

        fixture.clock.advance(by: .seconds(1))
        #expect(fixture.mediator.pending == ["second"])
        task?.end()

        #expect(fixture.mediator.state == .background && fixture.clock.pendingTimers == 0)
    }
}
