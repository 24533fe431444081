// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What happens while a group starts.
nonisolated enum GroupStartEvent: Sendable {
    /// `run()` of one more service was entered.
    case began
    /// The services do their work.
    case ready
    /// The group has ended.
    case ended
    /// The time for the start is over.
    case late
}
