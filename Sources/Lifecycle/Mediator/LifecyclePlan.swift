// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a trigger, or a post, would do now: who would be told, in which order, and how long that may take.
public nonisolated struct LifecyclePlan: Sendable, Equatable {
    /// A listener that would be told.
    public struct Call: Sendable, Equatable {
        /// The listener's name.
        public let listener: String
        /// How long its answer may take; nil for one that answers at once.
        public let deadline: Duration?
        /// What of it falls to it at least, when all that is before it takes its whole share too.
        public let share: Duration?
        /// Whether it allows a dry run.
        public let rehearses: Bool
    }

    /// A notification that would be delivered.
    public struct Step: Sendable, Equatable {
        /// The notification.
        public let name: LifecycleNotification.Name
        /// The state before.
        public let previousState: LifecycleState
        /// The state it leads to.
        public let state: LifecycleState
        /// Who would be told: groups one after the other, the members of one together.
        public let groups: [[Call]]
    }

    /// A background task that would be waited for.
    public struct Task: Sendable, Equatable {
        /// Its name.
        public let name: String
        /// The time until it expires.
        public let remaining: Duration
    }

    /// The background tasks under way that come before all else.
    public let tasks: [Task]
    /// The notifications, in order.
    public let steps: [Step]
    /// The time for all together; nil where there is no limit.
    public let limit: Duration?
    /// How long it takes when everybody uses all his time.
    public let longest: Duration

    /// Whether everybody can have all his time.
    public var fits: Bool { limit.map { longest <= $0 } ?? true }
}
