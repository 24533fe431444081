// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How one listener is.
public nonisolated struct ListenerHealthReport: Sendable, Equatable {
    /// The listener's name.
    public let listener: String
    /// How it is.
    public let health: ListenerHealth
}
