// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The time, and a call when it has come. The mediator has no clock of its own, so that tests can hold the hands.
public protocol LifecycleClock: AnyObject {
    /// The present moment.
    var now: LifecycleTime { get }

    /// `CLOCK_MONOTONIC` at the present moment, in microseconds.
    var monotonicUsec: UInt64 { get }

    /// The moment that a posted notification carries: the present one, or one shortly before it that was at hand, such
    /// as that at which the loop woke up. It never runs backwards.
    var stamp: LifecycleTime { get }

    /// Calls `body` once, `delay` from now, on the main actor, unless the timer is cancelled before.
    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any LifecycleTimer
}

extension LifecycleClock {
    /// That of the present moment.
    public var monotonicUsec: UInt64 { now.monotonicUsec }

    /// The present moment.
    public var stamp: LifecycleTime { now }
}

/// A call that a `LifecycleClock` will make.
public protocol LifecycleTimer: AnyObject {
    /// Gives the call up. Does nothing when it was made already.
    func cancel()
}

/// A moment by both clocks, in microseconds as systemd counts them (clock_gettime(2)).
public nonisolated struct LifecycleTime: Sendable, Equatable {
    /// `CLOCK_REALTIME`: microseconds since 1970; jumps when the clock is set.
    public let realtimeUsec: UInt64
    /// `CLOCK_MONOTONIC`: microseconds since boot, without the time asleep.
    public let monotonicUsec: UInt64

    /// A moment that both clocks show.
    public init(realtimeUsec: UInt64, monotonicUsec: UInt64) {
        self.realtimeUsec = realtimeUsec
        self.monotonicUsec = monotonicUsec
    }
}
