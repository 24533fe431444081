// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc
public import BelfryLinux

/// Fires once, at a given time. `fire(after:)` sets it again.
///
/// Source: sd_event_add_time_relative(3).
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
    }

    private let handler: () -> Void

    init(
        after delay: Duration, clock: Clock, accuracy: Duration, on event: OpaquePointer,
        _ handler: @escaping () -> Void
    ) throws(SystemError) {
        self.handler = handler
        super.init()
        let userdata = userdata
        try attach("set timer of", "\(delay)") {
            sd_event_add_time_relative(
                event, &$0, clock.id, delay.microseconds, max(accuracy.microseconds, 1), Self.callback, userdata)
        }
    }

    /// Fires `delay` from now, whether or not it has fired before.
    ///
    /// - Throws: `ESTALE` after `cancel()`.
    public func fire(after delay: Duration) throws(SystemError) {
        try SystemError.check(
            call { sd_event_source_set_time_relative($0, delay.microseconds) }, verb: "set timer of", object: "\(delay)"
        )
        isEnabled = true
    }

    override var firingMode: Int32 { Int32(SD_EVENT_ONESHOT) }

    private nonisolated static let callback: sd_event_time_handler_t = { _, _, userdata in
        BelfryEventLoop.fire(TimerEventSource.self, userdata, ()) { source, _ in source.handler() }
    }
}
