// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Lifecycle

/// A clock that stands still until a test moves it.
///
/// As on the loop of a service, a timer fires only between two turns: `block(for:)` lets time pass within one.
@MainActor public final class ManualClock: LifecycleClock {
    private final class Alarm: LifecycleTimer {
        let dueUsec: UInt64
        var body: (() -> Void)?

        init(dueUsec: UInt64, _ body: @escaping () -> Void) {
            self.dueUsec = dueUsec
            self.body = body
        }

        func cancel() { body = nil }
    }

    private static let start = LifecycleTime(realtime: .seconds(1_000_000_000), monotonic: .seconds(1))
    private var elapsedUsec: UInt64 = 0
    private var alarms: [Alarm] = []
    private var isFiring = false

    /// Makes a clock that reads 1 s since boot and a round moment of 2001.
    public init() {}

    /// The present time of the clock.
    public var now: LifecycleTime {
        let elapsed = Duration.microseconds(elapsedUsec)
        return LifecycleTime(realtime: Self.start.realtime + elapsed, monotonic: Self.start.monotonic + elapsed)
    }

    /// How many timers have not fired yet.
    package var pendingTimers: Int { alarms.count { $0.body != nil } }

    /// Sets a timer, which fires when `advance(by:)` reaches its time. A delay that no clock reaches never ends.
    public func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any LifecycleTimer {
        let alarm = Alarm(dueUsec: delay.end(from: elapsedUsec), body)
        alarms.append(alarm)
        return alarm
    }

    /// Moves the clock, and fires the timers that become due on the way, in order, each in a turn of its own. In the
    /// turn of a timer only the time passes, as with `block(for:)`.
    public func advance(by duration: Duration) {
        guard !isFiring else { return block(for: duration) }
        isFiring = true
        defer { isFiring = false }
        let endUsec = duration.bounded.end(from: elapsedUsec)
        while let next = nextAlarm(until: max(endUsec, elapsedUsec)) {
            elapsedUsec = max(elapsedUsec, next.dueUsec)
            let body = next.body
            next.body = nil
            body?()
        }
        alarms.removeAll { $0.body == nil }
        elapsedUsec = max(elapsedUsec, endUsec)
    }

    /// Lets time pass within a turn, as code does that keeps the thread. No timer fires: those that become due fire at
    /// the next `advance(by:)`, also if that is by nothing.
    public func block(for duration: Duration) { elapsedUsec = duration.bounded.end(from: elapsedUsec) }

    private func nextAlarm(until endUsec: UInt64) -> Alarm? {
        alarms.filter { $0.body != nil && $0.dueUsec <= endUsec }.min { $0.dueUsec < $1.dueUsec }
    }
}
