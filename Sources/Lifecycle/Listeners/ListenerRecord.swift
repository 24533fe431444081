// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How a listener has done so far.
public nonisolated struct ListenerRecord: Sendable, Equatable {
    /// How often it was called.
    public private(set) var calls = 0
    /// How many of these calls it refused, failed or overran.
    public private(set) var failures = 0
    /// How the last call ended.
    public private(set) var lastOutcome: ListenerOutcome?
    /// How long the last call took.
    public private(set) var lastDuration: Duration?
    /// How long the longest call took.
    public private(set) var longestDuration: Duration?

    mutating func note(_ outcome: ListenerOutcome, after duration: Duration) {
        calls += 1
        if outcome.isProblem { failures += 1 }
        lastOutcome = outcome
        lastDuration = duration
        longestDuration = max(duration, longestDuration ?? .zero)
    }
}
