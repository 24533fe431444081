// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfrySources
import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

/// Times of the mediator on the real loop, in a turn that lasts. They are lower limits, as in `TimerEventSourceTests`.
@Suite(.timeLimit(.minutes(1)))
struct EventLoopClockTests {
    private static let delay = Duration.milliseconds(50)
    let loop: MainEventLoop
    let clock: EventLoopClock
    let mediator: LifecycleMediator

    init() throws {
        loop = try MainEventLoop()
        clock = EventLoopClock(loop)
        mediator = LifecycleMediator(clock: clock)
    }

    @Test func taskThatBeginsAfterWorkHasItsWholeTime() throws {
        var expired: Duration?

        let task = try loop.inLongTurn { [clock, mediator] in
            let start = clock.monotonic
            return mediator.beginBackgroundTask(named: "upload", deadline: Self.delay) {
                expired = clock.monotonic - start
            }
        }
        try loop.turn { task.isEnded }

        #expect(try #require(expired) >= Self.delay)
    }

    @Test func listenerAfterOneThatBlocksHasItsWholeTime() throws {
        var report: TransitionReport?
        let hanging = ClosureListener("hanging") {
            $0.onCompletion(.didEnterBackground, deadline: Self.delay) { _, _ in {} }
        }
        let blocking = ClosureListener("blocking") {
            $0.on(.didEnterBackground) { _ in MainEventLoop.block(for: Self.delay) }
        }
        for listener in [hanging, blocking] { try mediator.addListener(listener) }
        mediator.perform(.launch)

        try loop.inLongTurn { [mediator] in mediator.perform(.pause) { report = $0 } }
        try loop.turn { report != nil }

        let listeners = try #require(report?.notifications.last?.listeners)
        #expect(listeners.map(\.listener) == ["blocking", "hanging"] && listeners.last?.outcome == .overran)
        #expect(try #require(listeners.last).duration >= Self.delay)
    }

    @Test func sleepHasItsWholeTime() async throws {
        var slept: Duration?

        let task = try loop.inLongTurn { [clock] in
            Task.immediate {
                let start = clock.monotonic
                try await clock.sleep(for: Self.delay)
                slept = clock.monotonic - start
            }
        }
        while slept == nil, !Task.isCancelled {
            try loop.turn(waiting: .milliseconds(5))
            await Task.yield()
        }

        try await task.value
        #expect(try #require(slept) >= Self.delay)
    }

    /// On the clock of tests as on the loop.
    @Test(arguments: [true, false])
    func delayThatNoClockReachesNeverEnds(isManual: Bool) throws {
        let manual = ManualClock()
        let clock: any LifecycleClock = isManual ? manual : clock
        var hasFired = false

        let timer = clock.schedule(after: .seconds(Int64.max)) { hasFired = true }
        try loop.turnWithoutWaiting()
        manual.advance(by: .seconds(Int64.max))

        #expect(!hasFired)
        timer.cancel()
    }
}
