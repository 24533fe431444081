// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop

/// What a process can see of having been suspended.
package nonisolated struct SuspensionReading: Sendable, Equatable {
    /// For how long its control group has been frozen so far, in microseconds (`frozen_usec`); nil where the kernel does
    /// not count it.
    package var frozen: UInt64?
    /// Whether the group was told to have been thawed, which counts where `frozen` is not known.
    package var hasThawed: Bool
    /// The clocks.
    package var clocks: ClockReading

    /// What is seen at one moment.
    package init(frozen: UInt64?, hasThawed: Bool, clocks: ClockReading) {
        self.frozen = frozen
        self.hasThawed = hasThawed
        self.clocks = clocks
    }
}
