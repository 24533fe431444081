// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A listener, or a background task, gets on with what a transition waits for.
public nonisolated struct LifecycleProgress: Sendable, Equatable {
    /// The transition that waits.
    public let trigger: LifecycleTrigger
    /// Who gets on.
    public let name: String
    /// With what, in its own words.
    public let text: String?
    /// Within which time it will report again, or be done.
    public let window: Duration
    /// The time that the transition has from now on.
    public let remaining: Duration
    /// Whether that goes beyond what it had at its beginning.
    public let isExtended: Bool
}
