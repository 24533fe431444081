// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What became of a trigger.
public nonisolated struct TransitionReport: Sendable {
    /// How a transition ended.
    public enum Result: Sendable, Equatable {
        /// The service is where the trigger leads, or was there already.
        case completed
        /// A launch or a new configuration was refused, for these reasons, and the service is where it was before;
        /// after a refused launch it has terminated.
        case refused([String])
        /// A stop came first, or the sleep of the machine that it was for, and what the trigger asked for is no longer
        /// done: it waited, or was a launch that would have needed more time than the stop left it.
        case overtaken
    }

    /// What was asked.
    public let trigger: LifecycleTrigger
    /// Who asked. Where requests were merged, the first.
    public let origin: LifecycleOrigin
    /// How it ended.
    public let result: Result
    /// The notifications that were delivered, in order.
    public let notifications: [LifecycleReport]
    /// Who cut the deadlines to zero, if anybody did.
    public let cutShortBy: LifecycleOrigin?
}
