// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Lifecycle

/// A clock that stands still until a test moves it.
@MainActor public final class ManualClock: LifecycleClock {
    private final class Alarm: LifecycleTimer {
        let due: Duration
        var body: (() -> Void)?

        init(due: Duration, _ body: @escaping () -> Void) {
            self.due = due
            self.body = body
        }

        func cancel() { body = nil }
    }

    private static let start = LifecycleTime(realtime: .seconds(1_000_000_000), monotonic: .seconds(1))
    private var elapsed: Duration = .zero
    private var alarms: [Alarm] = []

    /// Makes a clock that reads 1 s since boot and a round moment of 2001.
    public init() {}

    /// The present time of the clock.
    public var now: LifecycleTime {
        LifecycleTime(realtime: Self.start.realtime + elapsed, monotonic: Self.start.monotonic + elapsed)
    }

    /// How many timers have not fired yet.
    public var pendingTimers: Int { alarms.count { $0.body != nil } }

    /// Sets a timer, which fires when `advance(by:)` reaches its time.
    public func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any LifecycleTimer {
        let alarm = Alarm(due: elapsed + delay.bounded, body)
        alarms.append(alarm)
        return alarm
    }

    /// Moves the clock, and fires the timers that become due on the way, in order.
    public func advance(by duration: Duration) {
        let end = elapsed + duration.bounded
        while let next = alarms.filter({ $0.body != nil && $0.due <= end }).min(by: { $0.due < $1.due }) {
            elapsed = max(elapsed, next.due)
            let body = next.body
            next.body = nil
            body?()
        }
        alarms.removeAll { $0.body == nil }
        elapsed = end
    }
}
