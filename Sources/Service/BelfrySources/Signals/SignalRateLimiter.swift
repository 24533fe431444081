// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import Lifecycle

/// Holds back deliveries of a signal beyond the rate limit, and delivers them as one when the interval is over. Signals
/// whose order matters share a limiter, so that the last of them is the one that is delivered.
final class SignalRateLimiter {
    /// Called when a storm begins and when it ends.
    var onStorm: ((SignalStorm) -> Void)?
    private let loop: MainEventLoop
    private let merges: Bool
    private var counter: SignalCounter
    private var timer: TimerEventSource?
    private var held: (route: ActiveRoute, origin: SignalOrigin)?
    private var demoted: [ActiveRoute] = []
    private let deliver: (ActiveRoute, SignalOrigin, Int) -> Void

    /// - Parameters:
    ///   - limit: how many deliveries are passed on one by one; nil for no limit.
    ///   - merges: whether deliveries beyond the limit are merged. Otherwise a storm only lowers the signal's priority.
    ///   - deliver: receives a delivery, and how many it stands for.
    init(
        loop: MainEventLoop, limit: SignalRateLimit?, merges: Bool,
        deliver: @escaping (ActiveRoute, SignalOrigin, Int) -> Void
    ) {
        self.loop = loop
        self.merges = merges
        self.deliver = deliver
        counter = SignalCounter(limit)
    }

    /// Passes a delivery on, unless it is to be merged with those that follow.
    func receive(_ route: ActiveRoute, _ origin: SignalOrigin, at now: MonotonicInstant) {
        guard case .excess(let isFirst) = counter.count(at: now) else { return deliver(route, origin, 1) }
        if !merges {
            deliver(route, origin, 1)
        } else {
            held = (route, origin)
            if isFirst, let limit = counter.limit { onStorm?(SignalStorm(.began(limit), origin)) }
        }
        demote(route)
        if isFirst { flush(after: counter.remaining(at: now)) }
    }

    /// Ends a storm now and delivers what is held back.
    func flush() {
        timer = nil
        guard counter.isStorming else { return }
        let count = counter.endStorm(at: .now)
        for route in demoted { route.source?.priority = SourcePriority.signals }
        demoted = []
        guard let (route, origin) = held else { return }
        held = nil
        onStorm?(SignalStorm(.ended(count: count), origin))
        deliver(route, origin, count)
    }

    private func flush(after delay: Duration) {
        do {
            timer = try loop.timer(after: delay) { [unowned self] in flush() }
        } catch {
            // Without a timer nothing may be held back.
            flush()
        }
    }

    /// Lowers the signal's priority to that of clients and timers while the storm lasts.
    private func demote(_ route: ActiveRoute) {
        guard let source = route.source, source.priority != 0 else { return }
        source.priority = 0
        demoted.append(route)
    }
}

/// How many deliveries of a signal are passed on one by one within an interval.
package nonisolated struct SignalRateLimit: Sendable, Equatable {
    package let burst: Int
    package let interval: Duration

    /// At least one delivery for each interval.
    package init(burst: Int, interval: Duration) {
        self.burst = max(1, burst)
        self.interval = interval
    }
}

/// Counts deliveries in intervals, as systemd's `StartLimitBurst=` does, and says which are beyond the limit. A pure value.
package nonisolated struct SignalCounter: Sendable, Equatable {
    /// Whether a delivery is within the limit.
    package enum Verdict: Sendable, Equatable {
        /// It is within the limit.
        case pass
        /// It is beyond the limit. `isFirst` when it is the first of its interval.
        case excess(isFirst: Bool)
    }

    /// The limit; nil for none.
    package let limit: SignalRateLimit?
    private var start: MonotonicInstant?
    private var passed = 0
    private var excess = 0

    package init(_ limit: SignalRateLimit?) { self.limit = limit }

    /// Whether there were deliveries beyond the limit since the last `endStorm`.
    package var isStorming: Bool { excess > 0 }

    /// Counts a delivery. A storm goes on until `endStorm`, however late that is.
    package mutating func count(at now: MonotonicInstant) -> Verdict {
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

    /// How long the interval lasts from now on.
    package func remaining(at now: MonotonicInstant) -> Duration {
        guard let limit, let start else { return .zero }
        return max(.zero, limit.interval - (now - start))
    }

    /// Ends a storm, and begins an interval with the one delivery that the others are merged into.
    ///
    /// - Returns: how many deliveries were beyond the limit.
    package mutating func endStorm(at now: MonotonicInstant) -> Int {
        defer {
            excess = 0
            start = now
            passed = 1
        }
        return excess
    }
}

/// A signal that came more often than its limit allows.
package nonisolated struct SignalStorm: Sendable, Equatable {
    /// What happened.
    package enum Phase: Sendable, Equatable {
        /// Deliveries up to the end of the interval are merged.
        case began(SignalRateLimit)
        /// The interval is over, and this many deliveries were merged into one.
        case ended(count: Int)
    }

    /// What happened.
    package let phase: Phase
    /// The last delivery.
    package let origin: SignalOrigin

    package init(_ phase: Phase, _ origin: SignalOrigin) {
        self.phase = phase
        self.origin = origin
    }

    /// How many deliveries were merged, when the storm is over.
    package var count: Int? { if case .ended(let count) = phase { count } else { nil } }

    /// The text for the journal.
    package var message: String {
        switch phase {
        case .began(let limit):
            "\(origin.name) came more than \(limit.burst) times within \(limit.interval), merging what follows"
        case .ended(count: 1): "delivered one \(origin.name) late"
        case .ended(let count): "merged \(count) deliveries of \(origin.name) into one"
        }
    }
}
