// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import BelfryLinux
internal import BelfrySystemd
internal import CBelfry
internal import Glibc
package import Lifecycle

/// Turns signals into transitions and notifications, with their sender.
///
/// A signal that has a route is blocked and read from a descriptor. The others that an operator may send are ignored, so
/// that they neither end the service by accident nor stay pending.
///
/// Each signal has a rate limit, except those that stop the service. Transitions other than a reload share one, since their
/// order matters.
package final class SignalSource {
    private let loop: MainEventLoop
    private let mediator: LifecycleMediator
    private let senders = SenderLookup()
    /// By number.
    private var routes = [ActiveRoute?](repeating: nil, count: Int(belfry_sigrtmax()) + 1)

    /// Called for a stop in place of the transition, to find its reason first.
    package var onStop: ((SignalOrigin) -> Void)?
    /// Called for `stopNow`.
    package var onStopNow: ((SignalOrigin) -> Void)?
    /// Called for `control`, with the value that came with the signal.
    package var onControl: ((SignalOrigin) -> Void)?
    /// Called when a signal exceeds its rate limit, and when the storm is over.
    package var onStorm: ((SignalStorm) -> Void)?

    /// Makes a source without routes. All signals must be blocked (`belfry_block_signals`).
    package init(loop: MainEventLoop, mediator: LifecycleMediator) {
        self.loop = loop
        self.mediator = mediator
    }

    /// Replaces the routes and the rate limits.
    ///
    /// - Parameters:
    ///   - routes: what each signal does.
    ///   - ignored: the signals that are ignored from now on.
    ///   - limit: how many deliveries of a signal are passed on one by one; nil for no limit.
    package func apply(
        _ routes: [SignalRoute], ignoring ignored: Set<Int32>, limit: SignalRateLimit?
    ) throws(SystemError) {
        flushLimiters()
        for number in ignored {
            self.routes[Int(number)] = nil
            try SystemError.check(belfry_set_ignored(number, true), verb: "set up signal", object: "\(number)")
        }
        let shared = limiter(limit, merges: true)
        for route in routes {
            let index = Int(route.number)
            try SystemError.check(belfry_set_ignored(route.number, false), verb: "set up signal", object: "\(index)")
            let active = ActiveRoute(route, limiter: limiter(of: route, limit, shared: shared))
            // A source that stays keeps what the kernel has queued for it.
            active.source = if let known = self.routes[index]?.source { known } else { try watch(route.number) }
            active.source?.priority = SourcePriority.signals
            self.routes[index] = active
        }
    }

    private func watch(_ number: Int32) throws(SystemError) -> SignalEventSource {
        try loop.source(signal: number) { [unowned self] in receive($0) }
    }

    private func limiter(
        of route: SignalRoute, _ limit: SignalRateLimit?, shared: SignalRateLimiter
    ) -> SignalRateLimiter? {
        switch route.action {
        case .transition(.stop), .stopNow: nil
        case .control: limiter(limit, merges: false)
        case .transition(.reload), .post: limiter(limit, merges: route.merges)
        case .transition: shared
        }
    }

    private func limiter(_ limit: SignalRateLimit?, merges: Bool) -> SignalRateLimiter {
        let limiter = SignalRateLimiter(loop: loop, limit: limit, merges: merges) { [unowned self] in
            perform($0, $1, count: $2)
        }
        limiter.onStorm = { [unowned self] in onStorm?($0) }
        return limiter
    }

    private func receive(_ signal: ReceivedSignal) {
        guard let route = routes[Int(signal.number)] else { return }
        let now = MonotonicInstant(microseconds: loop.stamp.monotonicUsec)
        let sender = senders.sender(signal.senderPID, at: now)
        let origin = SignalOrigin(
            number: signal.number, name: route.route.name, pid: signal.senderPID, uid: signal.senderUID,
            unit: sender.unit,
            command: sender.command, value: signal.value, sender: signal.isFromKernel ? .kernel : nil)
        if let limiter = route.limiter {
            limiter.receive(route, origin, at: now)
        } else {
            perform(route, origin, count: 1)
        }
    }

    private func perform(_ route: ActiveRoute, _ origin: SignalOrigin, count: Int) {
        var userInfo: UserInfo = count > 1 ? ["count": .int(Int64(count))] : [:]
        switch route.route.action {
        case .transition(.stop):
            flushLimiters()
            onStop?(origin) ?? mediator.perform(.stop, origin: .signal(origin))
        case .stopNow:
            flushLimiters()
            onStopNow?(origin)
        case .transition(.continued) where isStopPending, .transition(.resume) where isStopPending: break
        case .transition(let trigger):
            // The kernel does not say whether the process had been stopped.
            if trigger == .continued { userInfo["cause"] = .string(Suspension.Cause.signal.rawValue) }
            mediator.perform(trigger, origin: .signal(origin), userInfo: userInfo)
        case .control: onControl?(origin)
        case .post(let name): mediator.post(name, userInfo: userInfo, origin: .signal(origin))
        }
    }

    /// Whether a stop is still to be read. The service manager sends a SIGCONT right after the stop signal, and the kernel
    /// decides which of the two is read first (signal(7)).
    private var isStopPending: Bool {
        var pending = sigset_t()
        guard sigpending(&pending) == 0 else { return false }
        return routes.contains { route in
            guard let route = route?.route, route.action == .transition(.stop) || route.action == .stopNow else {
                return false
            }
            return sigismember(&pending, route.number) == 1
        }
    }

    /// Delivers what is held back.
    private func flushLimiters() {
        for case let route? in routes { route.limiter?.flush() }
    }
}

/// What one signal does.
package nonisolated struct SignalRoute: Sendable, Equatable {
    /// What it does.
    package enum Action: Sendable, Equatable {
        /// Performs a transition.
        case transition(LifecycleTrigger)
        /// Posts a notification.
        case post(LifecycleNotification.Name)
        /// Ends the process at once, after its status went to the journal.
        case stopNow
        /// Does what the queued value says, by systemd's convention for SIGRTMIN+18.
        case control
    }

    /// The signal.
    package let number: Int32
    /// `SIGUSR1`, `SIGRTMIN+5`.
    package let name: String
    /// What it does.
    package let action: Action
    /// Whether a reload or a post beyond the rate limit is merged. Otherwise each is performed, with less priority.
    package let merges: Bool

    package init(_ number: Int32, name: String, _ action: Action, merges: Bool = true) {
        self.number = number
        self.name = name
        self.action = action
        self.merges = merges
    }
}

/// A route with its event source and its rate limiter.
final class ActiveRoute {
    let route: SignalRoute
    /// Nil for signals that must never wait.
    let limiter: SignalRateLimiter?
    var source: SignalEventSource?

    init(_ route: SignalRoute, limiter: SignalRateLimiter?) {
        self.route = route
        self.limiter = limiter
    }
}

/// Finds unit and command of the process that sent a signal. A burst from one sender is looked up once.
final class SenderLookup {
    /// What was found. A sender that has ended, or is in another pid namespace, leaves nothing.
    struct Sender {
        let pid: Int32
        let unit: String?
        let command: String?
    }

    private static let validity: Duration = .milliseconds(50)
    private var last: (sender: Sender, when: MonotonicInstant)?

    /// What there is to know of `pid`, which has just sent a signal.
    func sender(_ pid: Int32, at now: MonotonicInstant) -> Sender {
        if let last, last.sender.pid == pid, now - last.when < Self.validity { return last.sender }
        // The command first: it is the cheaper question, and the sender may be about to end.
        let command = ProcessCommand.of(pid)
        let sender = Sender(pid: pid, unit: ProcessUnit.of(pid)?.name, command: command)
        last = (sender, now)
        return sender
    }
}
