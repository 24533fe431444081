// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Conversions that are defined for every value, since times may come from outside.
nonisolated extension Duration {
    /// The upper limit of all times: a hundred years.
    package static let longest = Duration.seconds(100 * 365 * 24 * 60 * 60)

    /// Whole microseconds; 0 for a negative duration, and the largest number for one that does not fit.
    package var wholeMicroseconds: UInt64 { UInt64(clamping: exactMicroseconds) }

    /// Whole microseconds with their sign; the nearest number for a duration that does not fit.
    package var signedMicroseconds: Int64 { Int64(clamping: exactMicroseconds) }

    /// The same time between zero and `longest`, so that sums do not overflow.
    package var bounded: Duration { min(max(self, .zero), .longest) }

    /// The time between two readings of the monotonic clock; zero when the second is the earlier one.
    package init(from startUsec: UInt64, to endUsec: UInt64) {
        self = endUsec > startUsec ? .microseconds(endUsec - startUsec) : .zero
    }

    /// The reading of the monotonic clock when this time has passed since `startUsec`; saturates.
    package func end(from startUsec: UInt64) -> UInt64 {
        let (end, overflow) = startUsec.addingReportingOverflow(wholeMicroseconds)
        return overflow ? .max : end
    }

    private var exactMicroseconds: Int128 {
        let (seconds, attoseconds) = components
        return Int128(seconds) * 1_000_000 + Int128(attoseconds / 1_000_000_000_000)
    }
}
