// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Times that come from outside may have any value. These conversions are defined for all of them.
nonisolated extension Duration {
    /// The longest time that anybody is given: a hundred years.
    package static let longest = Duration.seconds(100 * 365 * 24 * 60 * 60)

    /// Whole microseconds; none for a negative duration, and the largest number for one that does not fit.
    package var wholeMicroseconds: UInt64 { UInt64(clamping: exactMicroseconds) }

    /// Whole microseconds with their sign; the nearest number for a duration that does not fit.
    package var signedMicroseconds: Int64 { Int64(clamping: exactMicroseconds) }

    /// The same time, at least zero and at most `longest`, so that some billions of them can be added up.
    package var bounded: Duration { min(max(self, .zero), .longest) }

    /// From one reading of the monotonic clock to another; zero when the second is the earlier one.
    package init(from startUsec: UInt64, to endUsec: UInt64) {
        self = endUsec > startUsec ? .microseconds(endUsec - startUsec) : .zero
    }

    /// The reading of the monotonic clock when this time has passed since `startUsec`, the last one if it has no such.
    package func end(from startUsec: UInt64) -> UInt64 {
        let (end, overflow) = startUsec.addingReportingOverflow(wholeMicroseconds)
        return overflow ? .max : end
    }

    private var exactMicroseconds: Int128 {
        let (seconds, attoseconds) = components
        return Int128(seconds) * 1_000_000 + Int128(attoseconds / 1_000_000_000_000)
    }
}
