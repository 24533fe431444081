// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What one listener made of one notification.
public nonisolated struct ListenerReport: Sendable, Equatable {
    /// The listener's name.
    public let listener: String
    /// How its answer ended.
    public let outcome: ListenerOutcome
    /// When it was called, by the monotonic clock, in microseconds.
    public let startUsec: UInt64
    /// How long it took, until its end or its deadline.
    public let duration: Duration
}
