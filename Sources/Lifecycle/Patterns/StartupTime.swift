// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What became of one startup command, and how long it took.
public nonisolated struct StartupTime: Sendable, Equatable {
    /// The command's name.
    public let command: String
    /// Whether the launch depended on it.
    public let isRequired: Bool
    /// How it ended.
    public let outcome: ListenerOutcome
    /// How long it took, until its end or its deadline.
    public let duration: Duration

    /// What went wrong, as «NAME: REASON»; nil when nothing did.
    var problem: String? {
        guard outcome.isProblem else { return nil }
        return "\(command): \(outcome.reason ?? "not done within its deadline")"
    }
}
