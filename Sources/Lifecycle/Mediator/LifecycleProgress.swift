// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A listener, or a background task, gets on with what a transition waits for.
public nonisolated struct LifecycleProgress: Sendable, Equatable {
    /// The transition that waits: a stop also where it waits for another one that is under way.
    public let trigger: LifecycleTrigger
    /// Who gets on.
    public let name: String
    /// With what, in its own words.
    public let text: String?
    /// Within which time it will report again, or be done.
    public let window: Duration
    /// The time that it has from now on.
    public let remaining: Duration
    /// Whether that goes beyond what it had at its beginning.
    public let isExtended: Bool
}
