// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

/// Times of any size, since a program may pass any.
struct LifecycleDeadlinesTests {
    nonisolated static let times: [Duration] = [
        .microseconds(Int64.max), .microseconds(Int64.min), .seconds(Int64.max), .seconds(Int64.min), .zero,
        .nanoseconds(1), .nanoseconds(-1),
    ]

    @Test(arguments: times)
    func durationsOfAnySizeConvertToMicroseconds(time: Duration) {
        #expect(time.wholeMicroseconds <= .max)
        #expect(time.signedMicroseconds <= .max)
        #expect(time.end(from: .max) == .max)
        #expect(time.end(from: 0) == time.wholeMicroseconds)
        #expect(time.bounded >= .zero && time.bounded <= .longest)
        #expect(Duration(from: .max, to: 0) == .zero)
    }

    @Test(arguments: times, times)
    func progressOfAnySizeIsAcceptedInAStop(window: Duration, deadline: Duration) {
        let fixture = MediatorFixture()
        let slow = ["a", "b"].map { fixture.slow($0, deadline: deadline) }
        fixture.recordProgress()
        fixture.perform(.launch)

        fixture.perform(.stop)
        for listener in slow { listener.progress?.report(nextWithin: window) }
        let plan = fixture.mediator.plan(for: .stop)
        fixture.perform(.stop)

        #expect(fixture.progress.allSatisfy { $0.remaining >= .zero && $0.window >= .zero })
        #expect(plan.longest >= .zero)
        #expect(fixture.mediator.state == .notRunning)
        for listener in slow { listener.finish() }
    }

    @Test(arguments: times, times)
    func deadlinesAndTasksOfAnySizeWork(limit: Duration, deadline: Duration) {
        let fixture = MediatorFixture(
            deadlines: LifecycleDeadlines(listener: limit, start: limit, stop: limit, transition: limit))
        fixture.perform(.launch)
        let task = fixture.mediator.beginBackgroundTask(named: "upload", deadline: deadline)
        fixture.perform(.pause)
        task.reportProgress(nextWithin: limit)
        fixture.perform(.stop)
        fixture.mediator.deadlines = LifecycleDeadlines(listener: deadline, stop: deadline)
        task.reportProgress(nextWithin: deadline)

        fixture.perform(.stop)

        #expect(fixture.mediator.state == .notRunning)
        #expect(task.isEnded)
    }

    @Test(arguments: times, times)
    func shareIsAtMostTheRemainingTime(wanted: Duration, left: Duration) {
        for later in Self.times where later >= .zero && later <= .longest {
            let share = WantedTimes([wanted, later], within: left).share(of: wanted, before: 1, within: left)
            #expect(share.time >= .zero && share.time <= max(left, .zero))
        }
    }
}
