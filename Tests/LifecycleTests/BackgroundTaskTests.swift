// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

struct BackgroundTaskTests {
    let fixture = MediatorFixture()

    init() { fixture.perform(.launch) }

    @Test(arguments: [LifecycleTrigger.pause, .stop])
    func leavingWaitsForItsEnd(trigger: LifecycleTrigger) {
        let task = fixture.mediator.beginBackgroundTask(named: "upload", deadline: .seconds(20))

        fixture.perform(trigger)
        #expect(fixture.mediator.state == .active)
        fixture.clock.advance(by: .seconds(5))
        #expect(task.remainingTime == .seconds(15))
        task.end()

        #expect(fixture.mediator.state == (trigger == .pause ? .background : .notRunning))
        #expect(fixture.clock.pendingTimers == 0)
    }

    @Test func itExpiresAtItsDeadline() {
        var expired = 0
        let task = fixture.mediator.beginBackgroundTask(named: "upload", deadline: .seconds(3)) { expired += 1 }
        fixture.perform(.pause)

        fixture.clock.advance(by: .seconds(3))

        #expect(expired == 1)
        #expect(task.isEnded)
        #expect(fixture.mediator.state == .background)
    }

    @Test func itMayNotHoldAStopBeyondItsTime() {
        var expired = 0
        let task = fixture.mediator.beginBackgroundTask(named: "upload", deadline: .seconds(300)) { expired += 1 }
        fixture.perform(.stop)
        #expect(fixture.mediator.remainingTime == .seconds(25))

        fixture.clock.advance(by: .seconds(25))

        #expect(expired == 1)
        #expect(task.remainingTime == .zero)
        #expect(fixture.mediator.state == .notRunning)
    }

    @Test func secondStopExpiresItAtOnce() {
        let task = fixture.mediator.beginBackgroundTask(named: "upload", deadline: .seconds(300))
        fixture.perform(.stop, .stop)

        #expect(task.isEnded)
        #expect(fixture.mediator.state == .notRunning)
    }

    @Test func itExpiresOnceEvenIfThatAsksForASecondStop() {
        var expired = 0
        let task = fixture.mediator.beginBackgroundTask(named: "upload", deadline: .seconds(3)) { [fixture] in
            expired += 1
            if expired < 3 { fixture.perform(.stop) }
        }
        fixture.perform(.stop)

        fixture.clock.advance(by: .seconds(3))

        #expect(expired == 1)
        #expect(task.isEnded)
        #expect(fixture.mediator.state == .notRunning)
    }

    @Test func oneThatIsBegunWhenTheTimeIsUpComesTooLate() {
        var late: BackgroundTask?
        let task = fixture.mediator.beginBackgroundTask(named: "upload", deadline: .seconds(300)) { [fixture] in
            late = fixture.mediator.beginBackgroundTask(named: "late", deadline: .seconds(300))
        }
        fixture.perform(.stop)

        fixture.clock.advance(by: .seconds(25))

        #expect(task.isEnded)
        #expect(fixture.mediator.state == .notRunning)
        late?.end()
    }

    @Test func droppedTaskHoldsNobody() {
        var task: BackgroundTask? = fixture.mediator.beginBackgroundTask(named: "upload", deadline: .seconds(300))
        fixture.perform(.pause)
        #expect(task?.isEnded == false)

        task = nil

        #expect(fixture.mediator.state == .background)
    }

    @Test func otherTransitionsDoNotWait() {
        let task = fixture.mediator.beginBackgroundTask(named: "upload", deadline: .seconds(300))

        fixture.perform(.interrupt, .resume, .reload)

        #expect(fixture.ended.count == 4)
        task.end()
    }
}
