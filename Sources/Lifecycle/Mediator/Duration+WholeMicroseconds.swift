// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

nonisolated extension Duration {
    /// Whole microseconds, exactly; none for a negative duration.
    var wholeMicroseconds: UInt64 {
        let (seconds, attoseconds) = components
        let microseconds = Int128(seconds) * 1_000_000 + Int128(attoseconds / 1_000_000_000_000)
        return UInt64(clamping: microseconds)
    }
}
