// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// A moment of `CLOCK_MONOTONIC`, in the microseconds that systemd uses (clock_gettime(2)).
package nonisolated struct MonotonicInstant: Sendable, Hashable, Comparable {
    /// Microseconds since an unspecified start, without the time in which the machine sleeps.
    package let microseconds: UInt64

    /// The moment that is this far from the start.
    package init(microseconds: UInt64) { self.microseconds = microseconds }

    /// The present moment.
    package static var now: Self { Self(microseconds: belfry_clock_usec(CLOCK_MONOTONIC)) }

    /// The moment that is this much later.
    package func advanced(by duration: Duration) -> Self {
        let (sum, overflow) = microseconds.addingReportingOverflow(duration.microseconds)
        return Self(microseconds: overflow ? .max : sum)
    }

    /// Whether `left` is the earlier one.
    package static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }

    /// The time from `right` to `left`; zero when `right` is the later one.
    package static func - (left: Self, right: Self) -> Duration { .microseconds(left.microseconds(since: right)) }

    /// The time from `start` on in microseconds; zero when `start` is the later one.
    package func microseconds(since start: Self) -> UInt64 {
        microseconds > start.microseconds ? microseconds - start.microseconds : 0
    }
}

extension Duration {
    /// Whole microseconds, as systemd counts time; 0 for a negative duration, and the largest number for one that does
    /// not fit.
    package nonisolated var microseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000)
        let (sum, carry) = whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000_000))
        return overflow || carry ? .max : sum
    }
}
