// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle

/// A signal that came more often than its limit allows.
package nonisolated struct SignalStorm: Sendable, Equatable {
    /// What there is to say of it.
    package enum Phase: Sendable, Equatable {
        /// What comes from now on, up to the end of the interval, is merged.
        case began(StormLimiter.Limit)
        /// The interval is over, and this many deliveries were merged into one.
        case ended(count: Int)
    }

    /// What there is to say.
    package let phase: Phase
    /// The last delivery.
    package let origin: SignalOrigin

    package init(_ phase: Phase, _ origin: SignalOrigin) {
        self.phase = phase
        self.origin = origin
    }

    /// How many deliveries were merged, once that is known.
    package var count: Int? { if case .ended(let count) = phase { count } else { nil } }

    /// It in words, for the journal.
    package var message: String {
        switch phase {
        case .began(let limit):
            "\(origin.name) came more than \(limit.burst) times within \(limit.interval), merging what follows"
        case .ended(count: 1): "delivered one \(origin.name) late"
        case .ended(let count): "merged \(count) deliveries of \(origin.name) into one"
        }
    }
}
