// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

struct TimeShareTests {
    nonisolated static let times: [Duration] = [0, 1, 7, 1000, 5_000_000, 25_000_000, 31_536_000_000_000].map {
        .microseconds($0)
    }

    @Test(arguments: times, times)
    func sharesAreAtMostTheTimeWantedAndTheTimeLeft(wanted: Duration, left: Duration) {
        for later in Self.times {
            let share = TimeShare(of: wanted, before: later, within: left)

            #expect(share.time >= .zero && share.time <= wanted && share.time <= left)
            #expect(share.reserve >= .zero && share.time + share.reserve <= left)
            #expect(share.reserve <= later)
        }
    }

    @Test(arguments: times, times)
    func sharesAreWhatIsWantedIfThereIsEnough(wanted: Duration, later: Duration) {
        let share = TimeShare(of: wanted, before: later, within: wanted + later)

        #expect(share == TimeShare(of: wanted, before: later, within: .seconds(1 << 40)))
        #expect(share.time == wanted && share.reserve == later)
    }

    @Test(arguments: times.dropFirst(), times)
    func sharesAreProportionalToTheTimesWanted(wanted: Duration, left: Duration) {
        for later in Self.times where wanted + later > left {
            let first = TimeShare(of: wanted, before: later, within: left)
            let second = TimeShare(of: later, within: left - first.time)

            let difference = abs(first.time / .microseconds(1) * (later / wanted) - second.time / .microseconds(1))
            #expect(difference <= later / wanted + 1)
        }
    }

    @Test func wholeTimeIsSharedOut() {
        var left = Duration.seconds(25)
        let wishes: [Duration] = [.seconds(10), .seconds(20), .seconds(5), .seconds(15)]
        var times: [Duration] = []
        for (index, wish) in wishes.enumerated() {
            let share = TimeShare(of: wish, before: wishes[(index + 1)...].reduce(.zero, +), within: left)
            times.append(share.time)
            left -= share.time
        }

        #expect(times == [.seconds(5), .seconds(10), .milliseconds(2500), .milliseconds(7500)])
        #expect(left == .zero)
    }

    @Test func noTimeLeftMeansNoShare() {
        #expect(TimeShare(of: .seconds(5), before: .seconds(5), within: .seconds(-3)).time == .zero)
    }
}

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
        let slow = [SlowListener("a", deadline: deadline), SlowListener("b", deadline: deadline)]
        for listener in slow { try? fixture.mediator.addListener(listener) }
        var reports: [LifecycleProgress] = []
        fixture.observe { if case .progress(let progress) = $0 { reports.append(progress) } }
        fixture.perform(.launch)

        fixture.perform(.stop)
        for listener in slow { listener.progress?.report(nextWithin: window) }
        let plan = fixture.mediator.plan(for: .stop)
        fixture.perform(.stop)

        #expect(reports.allSatisfy { $0.remaining >= .zero && $0.window >= .zero })
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
            let share = TimeShare(of: wanted, before: later, within: left)
            #expect(share.time >= .zero && share.time <= max(left, .zero))
        }
    }
}
