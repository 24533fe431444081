// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
package import BelfryEventLoop
internal import Glibc
package import BelfryLinux

/// Calls when the wall clock jumps against `CLOCK_MONOTONIC`: when it is set, and when the machine wakes from sleep. It
/// is a timer that never ends and that the kernel cancels then (`TFD_TIMER_CANCEL_ON_SET`, timerfd_create(2)), so that
/// nothing wakes up in between.
package final class ClockSetWatch {
    private let descriptor: Int32
    private var source: DescriptorEventSource?

    /// Begins to watch.
    package init(loop: MainEventLoop, _ handler: @escaping () -> Void) throws(SystemError) {
        descriptor = try SystemError.check(belfry_clock_set_timer(), verb: "watch", object: "clock")
        do throws(SystemError) {
            source = try loop.source(descriptor: descriptor, .readable) { [descriptor] _ in
                if belfry_clock_was_set(descriptor) > 0 { handler() }
            }
        } catch {
            close(descriptor)
            throw error
        }
        source?.priority = SourcePriority.suspension
    }

    isolated deinit {
        source?.cancel()
        close(descriptor)
    }
}
