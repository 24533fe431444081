// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import Lifecycle

/// Holds back what is beyond the limit, and delivers it as one when its time has come. Signals whose order among each
/// other counts share one, so that the last of them is the one that holds.
final class SignalGate {
    /// Called when a storm begins and when it ends.
    var onStorm: ((SignalStorm) -> Void)?
    /// Whether what is beyond the limit is merged. Otherwise a storm only loses its precedence.
    let merges: Bool
    private let loop: MainEventLoop
    private var limiter = StormLimiter(nil)
    private var timer: TimerEventSource?
    private var held: (route: SignalRoute, origin: SignalOrigin)?
    private var demoted: [SignalRoute] = []
    private let deliver: (SignalRoute, SignalOrigin, Int) -> Void

    /// - Parameters:
    ///   - merges: whether what is beyond the limit is merged.
    ///   - deliver: takes a delivery, and how many it stands for.
    init(loop: MainEventLoop, merges: Bool, deliver: @escaping (SignalRoute, SignalOrigin, Int) -> Void) {
        self.loop = loop
        self.merges = merges
        self.deliver = deliver
    }

    var limit: StormLimiter.Limit? {
        get { limiter.limit }
        set { limiter.limit = newValue }
    }

    /// Takes a delivery in, and passes it on unless it is to be merged with those that follow.
    func take(_ route: SignalRoute, _ origin: SignalOrigin, at now: MonotonicInstant) {
        guard case .excess(let isFirst) = limiter.admit(at: now) else { return deliver(route, origin, 1) }
        if !merges {
            deliver(route, origin, 1)
        } else {
            held = (route, origin)
            if isFirst, let limit = limiter.limit { onStorm?(SignalStorm(.began(limit), origin)) }
        }
        demote(route)
        if isFirst { end(after: limiter.remaining(at: now)) }
    }

    /// Ends a storm now, so that what was held back is delivered before what follows from it can no longer happen.
    func end() {
        timer = nil
        guard limiter.isStorming else { return }
        let count = limiter.takeExcess(at: .now)
        for route in demoted { route.source?.priority = SourcePriority.signals }
        demoted = []
        guard let (route, origin) = held else { return }
        held = nil
        onStorm?(SignalStorm(.ended(count: count), origin))
        deliver(route, origin, count)
    }

    private func end(after delay: Duration) {
        do {
            timer = try loop.timer(after: delay) { [unowned self] in end() }
        } catch {
            // Without a timer nothing may be held back.
            end()
        }
    }

    /// Lets clients and timers have their turn too while the storm lasts.
    private func demote(_ route: SignalRoute) {
        guard let source = route.source, source.priority != 0 else { return }
        source.priority = 0
        demoted.append(route)
    }
}

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
