// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop

/// Decides when the service manager is asked for more time, and for how much: each time for a little more than is
/// needed, so that a listener that reports often does not make it ask as often, and never for what is not needed.
package nonisolated struct TimeoutExtension: Sendable {
    /// What is asked for beyond what listeners may take: for the way out, and for not asking again at once.
    package static let slack: Duration = .seconds(2)
    private static let pause: Duration = .milliseconds(200)

    private var granted: (from: MonotonicInstant, time: Duration)?
    private var last: MonotonicInstant?

    /// Nothing was asked for yet.
    package init() {}

    /// The time to ask for now, from now on; nil when what was asked for before is enough.
    package mutating func time(for needed: Duration, at now: MonotonicInstant) -> Duration? {
        if let granted, granted.time - (now - granted.from) >= needed + Self.slack / 2 { return nil }
        granted = (now, needed + Self.slack)
        last = now
        return needed + Self.slack
    }

    /// Whether something else may be said: not more often than a person reads.
    package mutating func isDue(at now: MonotonicInstant) -> Bool {
        if let last, now - last < Self.pause { return false }
        last = now
        return true
    }
}
