// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import TestSupport
import Testing

/// A delay counts from the call that sets the timer. The times are lower limits: a slow machine makes timers late, never early.
@Suite(.timeLimit(.minutes(1)))
struct TimerEventSourceTests {
    private static let delay = Duration.milliseconds(50)
    let loop: MainEventLoop

    init() throws { loop = try MainEventLoop() }

    @Test(arguments: [TimerEventSource.Clock.monotonic, .boottime])
    func delayCountsFromTheCallInALongTurn(clock: TimerEventSource.Clock) throws {
        var start = MonotonicInstant.now
        var fired: Duration?

        let timer = try loop.inLongTurn { [loop] in
            start = .now
            return try loop.timer(after: Self.delay, clock: clock) { fired = .now - start }
        }
        try loop.turn { fired != nil }

        #expect(try #require(fired) >= Self.delay)
        timer.cancel()
    }

    @Test func delayOfATimerThatIsSetAgainCountsFromTheCall() throws {
        var start = MonotonicInstant.now
        var fired: Duration?
        let timer = try loop.timer(after: .seconds(1000)) { fired = .now - start }

        try loop.inLongTurn {
            start = .now
            try timer.fire(after: Self.delay)
        }
        try loop.turn { fired != nil }

        #expect(try #require(fired) >= Self.delay)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .microseconds(Int64.max) * 2])
    func delayThatNoClockReachesNeverEnds(delay: Duration) throws {
        var hasFired = false
        let timer = try loop.timer(after: delay, accuracy: delay) { hasFired = true }
        let again = try loop.timer(after: .seconds(1000)) { hasFired = true }

        try again.fire(after: delay)
        try loop.turnWithoutWaiting()

        #expect(!hasFired)
        timer.cancel()
    }
}
