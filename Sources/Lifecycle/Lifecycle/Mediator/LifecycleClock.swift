// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A clock with timers. The mediator is given one, so that tests can use a manual clock.
@MainActor public protocol LifecycleClock: AnyObject {
    /// The present moment.
    var now: LifecycleTime { get }

    /// The time since boot at the present moment (`CLOCK_MONOTONIC`). The default is that of `now`.
    var monotonic: Duration { get }

    /// The time for a posted notification: the present moment, or a recent reading such as the one at which the loop
    /// woke up. It never runs backwards.
    var stamp: LifecycleTime { get }

    /// Calls `body` once on the main actor, `delay` from now, unless the timer is cancelled before.
    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any LifecycleTimer
}

extension LifecycleClock {
    /// The monotonic time of `now`.
    public var monotonic: Duration { now.monotonic }

    /// The same in microseconds.
    var monotonicUsec: UInt64 { monotonic.wholeMicroseconds }

    /// The present moment.
    public var stamp: LifecycleTime { now }
}

extension LifecycleClock {
    /// Waits. In a test the time passes on the manual clock.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before.
    @_alwaysEmitIntoClient
    public func sleep(for duration: Duration) async throws {
        let (stream, end) = AsyncStream.makeStream(of: Never.self)
        let timer = schedule(after: duration) { end.finish() }
        for await _ in stream {}
        timer.cancel()
        try Task.checkCancellation()
    }
}

/// A timer of a `LifecycleClock`.
@MainActor public protocol LifecycleTimer: AnyObject {
    /// Cancels the call. Does nothing if it was made already.
    func cancel()
}

/// A moment by both clocks, in whole microseconds (clock_gettime(2)).
public nonisolated struct LifecycleTime: Sendable, Equatable {
    package let realtimeUsec: UInt64
    package let monotonicUsec: UInt64

    /// A moment with both readings in microseconds.
    package init(realtimeUsec: UInt64, monotonicUsec: UInt64) {
        self.realtimeUsec = realtimeUsec
        self.monotonicUsec = monotonicUsec
    }

    /// A moment with both readings.
    public init(realtime: Duration, monotonic: Duration) {
        self.init(realtimeUsec: realtime.wholeMicroseconds, monotonicUsec: monotonic.wholeMicroseconds)
    }

    /// The time since 1970 (`CLOCK_REALTIME`); jumps when the clock is set.
    public var realtime: Duration { .microseconds(realtimeUsec) }
    /// The time since boot without the time asleep (`CLOCK_MONOTONIC`).
    public var monotonic: Duration { .microseconds(monotonicUsec) }
}
