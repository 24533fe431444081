// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import BelfryEventLoop
internal import CBelfry
internal import Glibc
public import Lifecycle

/// The clocks of the machine, with timers of the event loop.
@MainActor public final class EventLoopClock: LifecycleClock {
    /// A call soon, without memory or descriptors for a timer: a deadline is better early than never. It is not made at
    /// once, since the caller does not have the timer yet.
    private final class NoTimer: LifecycleTimer {
        private let task: Task<Void, Never>

        init(_ body: @escaping () -> Void) { task = Task { if !Task.isCancelled { body() } } }

        func cancel() { task.cancel() }
    }

    private let loop: MainEventLoop

    /// Reads the clocks of the machine, and sets timers on `loop`.
    public init(_ loop: MainEventLoop) { self.loop = loop }

    /// `CLOCK_REALTIME` and `CLOCK_MONOTONIC`.
    public var now: LifecycleTime {
        LifecycleTime(
            realtimeUsec: belfry_clock_usec(CLOCK_REALTIME), monotonicUsec: belfry_clock_usec(CLOCK_MONOTONIC))
    }

    /// `CLOCK_MONOTONIC`.
    public var monotonic: Duration { .microseconds(belfry_clock_usec(CLOCK_MONOTONIC)) }

    /// The loop's own time, at most a tick of the kernel's clock old: what is posted in one turn has one time.
    public var stamp: LifecycleTime {
        let stamp = loop.stamp
        return LifecycleTime(realtimeUsec: stamp.realtimeUsec, monotonicUsec: stamp.monotonicUsec)
    }

    /// Sets a timer of the loop.
    public func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any LifecycleTimer {
        (try? loop.timer(after: delay, body)) ?? NoTimer(body)
    }
}

extension TimerEventSource: LifecycleTimer {}
