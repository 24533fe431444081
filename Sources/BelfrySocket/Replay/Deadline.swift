// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// A moment on this thread's own clock from which on something has taken too long.
nonisolated struct Deadline {
    private let end: UInt64

    /// So much time from now on, an hour at most.
    init(_ time: Duration) { end = Self.now + UInt64(max(0, min(time, .seconds(3600)) / .microseconds(1))) }

    var isOver: Bool { Self.now >= end }

    var rest: Duration { .microseconds(Int64(end) - Int64(min(end, Self.now))) }

    private static var now: UInt64 { belfry_clock_usec(CLOCK_MONOTONIC) }
}
