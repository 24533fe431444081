// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A moment by both clocks, in microseconds as systemd counts them (clock_gettime(2)).
public nonisolated struct LifecycleTime: Sendable, Equatable {
    /// `CLOCK_REALTIME`: microseconds since 1970; jumps when the clock is set.
    public let realtimeUsec: UInt64
    /// `CLOCK_MONOTONIC`: microseconds since boot, without the time asleep.
    public let monotonicUsec: UInt64

    /// A moment that both clocks show.
    public init(realtimeUsec: UInt64, monotonicUsec: UInt64) {
        self.realtimeUsec = realtimeUsec
        self.monotonicUsec = monotonicUsec
    }
}
