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
