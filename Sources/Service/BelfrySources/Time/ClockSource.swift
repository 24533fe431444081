// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import BelfryLinux
internal import CBelfry
internal import Glibc
package import Lifecycle

/// Posts `significantTimeChange` with the step when the clock was set, and when a new day has begun and anybody asks
/// for this notification. Gradual corrections (adjtimex(2)) do not count.
package final class ClockSource {
    private let mediator: LifecycleMediator
    private let readClocks: () -> ClockReading
    private let offset: (Int64) -> Int64
    private var last: ClockReading
    private var nextDay: Int64

    /// Reads the clocks for the first time.
    ///
    /// - Parameter offset: as for `ClockReading.nextDay(offset:)`.
    package init(
        mediator: LifecycleMediator, readClocks: @escaping () -> ClockReading = { .now },
        offset: @escaping (Int64) -> Int64 = ClockReading.localOffset
    ) {
        self.mediator = mediator
        self.readClocks = readClocks
        self.offset = offset
        last = readClocks()
        nextDay = last.nextDay(offset: offset)
    }

    /// Posts the step since the last call, if the clock was set, or else the new day, if one has begun.
    package func check() {
        let now = readClocks()
        let step = now.step(since: last)
        let isNewDay = now.realtime / 1_000_000 >= nextDay
        last = now
        nextDay = now.nextDay(offset: offset)
        if step != .zero {
            mediator.post(TimeChange.clock(step: step))
        } else if isNewDay, mediator.hasRecipients(of: TimeChange.name) {
            mediator.post(TimeChange.day)
        }
    }
}

/// Calls a handler when the wall clock jumps against `CLOCK_MONOTONIC`, which is when it is set and when the machine
/// wakes up, and when a day begins. It is a timer for the next day that the kernel cancels on a jump
/// (`TFD_TIMER_CANCEL_ON_SET`, timerfd_create(2)), so that nothing wakes up in between.
package final class ClockSetWatch {
    private let timer: Int32
    private let handler: () -> Void
    private var source: DescriptorEventSource?

    /// Begins to watch.
    package init(loop: MainEventLoop, _ handler: @escaping () -> Void) throws(SystemError) {
        timer = try SystemError.check(belfry_clock_timer(), verb: "watch", object: "clock")
        self.handler = handler
        let descriptor = OwnedDescriptor(owning: timer)
        try SystemError.check(arm(), verb: "watch", object: "clock")
        source = try loop.source(owning: descriptor, .readable) { [unowned self] _ in check() }
        source?.priority = SourcePriority.suspension
    }

    /// Sets the timer again, and calls the handler. Call it when the time zone has changed.
    package func check() {
        // A clock that has jumped meanwhile may be on another day now.
        while arm() > 0 {}
        handler()
    }

    private func arm() -> Int32 { belfry_clock_timer_arm(timer, ClockReading.now.nextDay()) }
}

/// Three clocks of the machine at one moment, in microseconds (clock_gettime(2)).
package nonisolated struct ClockReading: Sendable, Equatable {
    /// `CLOCK_REALTIME`: jumps when the clock is set.
    package var realtime: Int64
    /// `CLOCK_MONOTONIC`: stands still while the machine sleeps.
    package var monotonic: Int64
    /// `CLOCK_BOOTTIME`: goes on while the machine sleeps.
    package var boottime: Int64

    /// The present time. Of a few readings the fastest is taken, since a delay between two clocks looks like a step.
    package static var now: Self {
        var best: (reading: Self, took: Int64)?
        for _ in 0..<4 {
            let begin = read(CLOCK_MONOTONIC)
            let reading = Self(realtime: read(CLOCK_REALTIME), monotonic: begin, boottime: read(CLOCK_BOOTTIME))
            let took = read(CLOCK_MONOTONIC) - begin
            if took < best?.took ?? .max { best = (reading, took) }
            if took < 20 { break }
        }
        return best?.reading ?? Self(realtime: 0, monotonic: 0, boottime: 0)
    }

    /// How long the machine slept between `earlier` and this; zero below a millisecond.
    package func slept(since earlier: Self) -> Duration {
        let usec = (boottime - monotonic) - (earlier.boottime - earlier.monotonic)
        return .microseconds(usec < Self.significant ? 0 : usec)
    }

    /// By how much the clock was set between `earlier` and this; zero below a millisecond.
    package func step(since earlier: Self) -> Duration {
        let usec = (realtime - boottime) - (earlier.realtime - earlier.boottime)
        return .microseconds(usec.magnitude < Self.significant.magnitude ? 0 : usec)
    }

    /// When the next day begins, in seconds since 1970: at midnight, or where the clocks go forward over midnight, at
    /// that moment.
    ///
    /// - Parameter offset: how far the local time is ahead of UTC at a time, both in seconds.
    package func nextDay(offset: (Int64) -> Int64 = ClockReading.localOffset) -> Int64 {
        let (day, now) = (Int64(86_400), realtime / 1_000_000)
        let usual = now - (now + offset(now) + day) % day + day
        let shifted = usual + offset(now) - offset(usual)
        return offset(shifted) == offset(usual) ? shifted : usual
    }

    /// The offset in the time zone of this process (localtime_r(3)).
    package static func localOffset(_ seconds: Int64) -> Int64 {
        var (time, parts) = (time_t(seconds), tm())
        localtime_r(&time, &parts)
        return Int64(parts.tm_gmtoff)
    }

    private static let significant: Int64 = 1000

    private static func read(_ clock: clockid_t) -> Int64 { Int64(belfry_clock_usec(clock)) }
}
