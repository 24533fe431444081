// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop

/// Decides how many deliveries of one signal are passed on one by one. A pure value: it counts in windows of time, as
/// systemd's `StartLimitBurst=` does, and whoever holds it delivers, merges and sets the timer.
package nonisolated struct StormLimiter: Sendable, Equatable {
    /// How many deliveries a window takes, and how long it is.
    package struct Limit: Sendable, Equatable {
        package var burst: Int
        package var interval: Duration

        /// At least one delivery for each interval.
        package init(burst: Int, interval: Duration) {
            self.burst = max(1, burst)
            self.interval = interval
        }
    }

    /// What is to become of a delivery.
    package enum Verdict: Sendable, Equatable {
        /// It is within the limit.
        case pass
        /// It is beyond the limit, and was counted. `isFirst` when it is the first of its window.
        case excess(isFirst: Bool)
    }

    /// The limit; nil for none. A new one counts from the next window on.
    package var limit: Limit?
    private var start: MonotonicInstant?
    private var passed = 0
    private var excess = 0

    package init(_ limit: Limit?) { self.limit = limit }

    /// Whether there were deliveries beyond the limit that nobody has taken yet.
    package var isStorming: Bool { excess > 0 }

    /// Counts a delivery. What is beyond the limit is counted on until it is taken, however late that is.
    package mutating func admit(at now: MonotonicInstant) -> Verdict {
        if excess > 0 {
            excess += 1
            return .excess(isFirst: false)
        }
        guard let limit else { return .pass }
        if let start, now - start < limit.interval {
            if passed >= limit.burst {
                excess = 1
                return .excess(isFirst: true)
            }
            passed += 1
        } else {
            start = now
            passed = 1
        }
        return .pass
    }

    /// How long the window goes on.
    package func remaining(at now: MonotonicInstant) -> Duration {
        guard let limit, let start else { return .zero }
        return max(.zero, limit.interval - (now - start))
    }

    /// Takes the number of deliveries beyond the limit, and begins a window with one: that which they are merged into.
    package mutating func takeExcess(at now: MonotonicInstant) -> Int {
        defer {
            excess = 0
            start = now
            passed = 1
        }
        return excess
    }
}
