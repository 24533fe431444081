// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What is known of a listener: what it declared, and how it has done so far.
public nonisolated struct ListenerStatus: Sendable, Equatable {
    /// The listener's name.
    public let name: String
    /// The notifications it answers, in the order it declared them.
    public let interests: [LifecycleNotification.Name]
    /// Its place in the order of arriving notifications, from 0.
    public let order: Int
    /// The longest of the deadlines its answers have.
    public let deadline: Duration
    /// How it is.
    public let health: ListenerHealth
    /// How it has done so far.
    public let record: ListenerRecord
}
