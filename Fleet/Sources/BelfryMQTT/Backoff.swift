// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How long to wait before the next attempt: a random time below a bound that doubles from 0.5 s to 60 s.
///
/// All of the time is random, so that the clients of a broker that comes back spread over it.
nonisolated struct Backoff {
    private static let first = Duration.milliseconds(500)
    private static let doublings = 7

    private var failures = 0

    /// The time until the next attempt, by a random number below 1.
    mutating func next(_ random: Double = .random(in: 0..<1)) -> Duration {
        defer { failures += 1 }
        return min(Self.first * (1 << min(failures, Self.doublings)), .seconds(60)) * random
    }

    /// Begins again with the shortest time.
    mutating func reset() { failures = 0 }
}
