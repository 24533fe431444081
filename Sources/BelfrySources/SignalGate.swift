// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import Lifecycle

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
