// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The declarations and the record of a listener.
public nonisolated struct ListenerStatus: Sendable, Equatable {
    /// The listener's name.
    public let name: String
    /// The notifications it answers, in the order it declared them.
    public let interests: [LifecycleNotification.Name]
    /// Its position in the order of arriving notifications, from 0.
    public let order: Int
    /// The longest deadline of its answers.
    public let deadline: Duration
    /// Its health.
    public let health: ListenerHealth
    /// What it is doing at present, in its own words.
    public let activity: String?
    /// Its record.
    public let record: ListenerRecord
    /// How many of its asynchronous answers missed their deadline and have not ended since: they ignore the
    /// cancellation.
    public let stillRunning: Int
}

/// Counts and times of a listener's calls.
public nonisolated struct ListenerRecord: Sendable, Equatable {
    /// How often it was called.
    public private(set) var calls = 0
    /// How many of these calls it refused, failed or overran.
    public private(set) var failures = 0
    /// How the last call ended.
    public private(set) var lastOutcome: ListenerOutcome?
    /// The notification of the last call that it refused, failed or overran.
    public private(set) var lastFailedNotification: LifecycleNotification.Name?
    /// When the last call began: the time since boot (`CLOCK_MONOTONIC`).
    public private(set) var lastStart: Duration?
    /// How long the last call took.
    public private(set) var lastDuration: Duration?
    /// How long the longest call took.
    public private(set) var longestDuration: Duration?
    /// What it did, as it last said so.
    public private(set) var lastWork: String?

    /// Whether the last call failed, was late or refused; not at `willReload`, which refuses a configuration and leaves
    /// the old one.
    package var hasFailed: Bool { lastOutcome?.isProblem == true && lastFailedNotification != .willReload }

    mutating func add(
        _ outcome: ListenerOutcome, of name: LifecycleNotification.Name, after duration: Duration,
        since start: Duration, _ work: WorkSummary?
    ) {
        calls += 1
        if let work { lastWork = work.text }
        if outcome.isProblem {
            failures += 1
            lastFailedNotification = name
        }
        lastOutcome = outcome
        lastStart = start
        lastDuration = duration
        longestDuration = max(duration, longestDuration ?? .zero)
    }
}
