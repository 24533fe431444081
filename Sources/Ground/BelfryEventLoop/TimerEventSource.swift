// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc
public import BelfryLinux

/// Fires once, at a given time. `fire(after:)` sets it again. A delay counts from the call on, however long the turn of
/// the loop has lasted before; one that no clock reaches never ends.
///
/// Source: sd_event_add_time(3).
public final class TimerEventSource: LoopSource {
    /// The clock that a timer runs by (clock_gettime(2)).
    public enum Clock: Sendable {
        /// `CLOCK_MONOTONIC`: does not count the time in which the machine sleeps.
        case monotonic
        /// `CLOCK_BOOTTIME`: counts the time in which the machine sleeps.
        case boottime

        nonisolated var id: clockid_t {
            switch self {
            case .monotonic: CLOCK_MONOTONIC
            case .boottime: CLOCK_BOOTTIME
            }
        }

        /// Its reading when this time has passed. sd_event_add_time_relative(3) would count from the beginning of the
        /// turn.
        func reading(after delay: Duration) -> UInt64 {
            let (end, overflow) = belfry_clock_usec(id).addingReportingOverflow(delay.microseconds)
            return overflow ? .max : end
        }
    }

    private let clock: Clock
    private let handler: () -> Void

    init(
        after delay: Duration, clock: Clock, accuracy: Duration, on event: OpaquePointer,
        _ handler: @escaping () -> Void
    ) throws(SystemError) {
        self.clock = clock
        self.handler = handler
        super.init()
        let userdata = userdata
        try attach("set timer of", "\(delay)") {
            sd_event_add_time(
                event, &$0, clock.id, clock.reading(after: delay), min(max(accuracy.microseconds, 1), .max - 1),
                Self.callback, userdata)
        }
    }

    /// Fires `delay` from now, whether or not it has fired before.
    ///
    /// - Throws: `ESTALE` after `cancel()`.
    public func fire(after delay: Duration) throws(SystemError) {
        try SystemError.check(
            call { sd_event_source_set_time($0, clock.reading(after: delay)) }, verb: "set timer of", object: "\(delay)"
        )
        isEnabled = true
    }

    override var firingMode: Int32 { Int32(SD_EVENT_ONESHOT) }

    private nonisolated static let callback: sd_event_time_handler_t = { _, _, userdata in
        BelfryEventLoop.fire(TimerEventSource.self, userdata, ()) { source, _ in source.handler() }
    }
}
