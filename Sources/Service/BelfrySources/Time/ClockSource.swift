// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import BelfryLinux
internal import CBelfry
internal import Glibc
package import Lifecycle

/// Posts `significantTimeChange` with the step when the clock was set. Gradual corrections (adjtimex(2)) do not
/// count.
package final class ClockSource {
    private let mediator: LifecycleMediator
    private let readClocks: () -> ClockReading
    private var last: ClockReading

    /// Reads the clocks for the first time.
    package init(mediator: LifecycleMediator, readClocks: @escaping () -> ClockReading = { .now }) {
        self.mediator = mediator
        self.readClocks = readClocks
        last = readClocks()
    }

    /// Posts the step since the last call, if the clock was set.
    package func check() {
        let now = readClocks()
        let step = now.step(since: last)
        last = now
        if step != .zero { mediator.post(TimeChange.clock(step: step)) }
    }
}

/// Calls a handler when the wall clock jumps against `CLOCK_MONOTONIC`: when it is set, and when the machine wakes
/// up. It is a timer that never expires and that the kernel cancels on a jump (`TFD_TIMER_CANCEL_ON_SET`,
/// timerfd_create(2)), so that nothing wakes up in between.
package final class ClockSetWatch {
    private let source: DescriptorEventSource

    /// Begins to watch.
    package init(loop: MainEventLoop, _ handler: @escaping () -> Void) throws(SystemError) {
        let timer = try SystemError.check(belfry_clock_set_timer(), verb: "watch", object: "clock")
        source = try loop.source(owning: OwnedDescriptor(owning: timer), .readable) { _ in
            if belfry_clock_was_set(timer) > 0 { handler() }
        }
        source.priority = SourcePriority.suspension
    }
}

/// Three clocks of the machine at one moment, in microseconds (clock_gettime(2)).
package nonisolated struct ClockReading: Sendable, Equatable {
    /// `CLOCK_REALTIME`: jumps when the clock is set.
    package var realtime: Int64
    /// `CLOCK_MONOTONIC`: stands still while the machine sleeps.
    package var monotonic: Int64
    /// `CLOCK_BOOTTIME`: goes on while the machine sleeps.
    package var boottime: Int64

    /// A reading of the clocks.
    package init(realtime: Int64, monotonic: Int64, boottime: Int64) {
        self.realtime = realtime
        self.monotonic = monotonic
        self.boottime = boottime
    }

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

    private static let significant: Int64 = 1000

    private static func read(_ clock: clockid_t) -> Int64 { Int64(belfry_clock_usec(clock)) }
}
