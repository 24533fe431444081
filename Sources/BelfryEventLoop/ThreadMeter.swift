// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// Reads what the main thread has had of the processors. It costs a microsecond or two.
final class ThreadMeter {
    private let schedstat: Int32

    /// Nil where the kernel does not count it, or the sandbox does not show it.
    init?() {
        schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
        guard schedstat >= 0 else { return nil }
    }

    deinit { close(schedstat) }

    /// What it is now.
    var usage: ThreadUsage? {
        var usage = belfry_thread_usage()
        guard belfry_thread_usage(schedstat, &usage) == 0 else { return nil }
        return ThreadUsage(
            when: .now, running: usage.running_usec, queued: usage.queued_usec, switches: usage.switches)
    }
}
