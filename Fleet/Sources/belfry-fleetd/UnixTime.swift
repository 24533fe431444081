// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import Glibc

/// Unix time in microseconds. Hosts of a fleet need synchronised clocks: deadlines and the age of states are compared with it.
nonisolated enum UnixTime {
    static var now: Int64 { Int64(clamping: belfry_clock_usec(CLOCK_REALTIME)) }
}
