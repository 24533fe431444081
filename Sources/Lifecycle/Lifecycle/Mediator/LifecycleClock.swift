// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A clock with timers. The mediator is given one, so that tests can use a manual clock.
public protocol LifecycleClock: AnyObject {
    /// The present moment.
    var now: LifecycleTime { get }

    /// `CLOCK_MONOTONIC` at the present moment, in microseconds.
    var monotonicUsec: UInt64 { get }

    /// The time for a posted notification: the present moment, or a recent reading such as the one at which the loop woke
    /// up. It never runs backwards.
    var stamp: LifecycleTime { get }

    /// Calls `body` once on the main actor, `delay` from now, unless the timer is cancelled before.
    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any LifecycleTimer
}

extension LifecycleClock {
    /// The monotonic time of `now`.
    public var monotonicUsec: UInt64 { now.monotonicUsec }

    /// The present moment.
    public var stamp: LifecycleTime { now }
}

/// A timer of a `LifecycleClock`.
public protocol LifecycleTimer: AnyObject {
    /// Cancels the call. Does nothing if it was made already.
    func cancel()
}

/// A moment by both clocks, in microseconds as in systemd (clock_gettime(2)).
public nonisolated struct LifecycleTime: Sendable, Equatable {
    /// `CLOCK_REALTIME`: microseconds since 1970; jumps when the clock is set.
    public let realtimeUsec: UInt64
    /// `CLOCK_MONOTONIC`: microseconds since boot, without the time asleep.
    public let monotonicUsec: UInt64

    /// A moment with both readings.
    public init(realtimeUsec: UInt64, monotonicUsec: UInt64) {
        self.realtimeUsec = realtimeUsec
        self.monotonicUsec = monotonicUsec
    }
}
