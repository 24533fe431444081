// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
package import BelfryEventLoop
package import BelfryLinux
internal import BelfrySystemd
internal import CBelfry
internal import Glibc
package import Lifecycle

/// Turns signals into what the configuration says of them: transitions and notifications, with their sender.
///
/// A signal that is mapped is blocked and read from a descriptor. One that is not mapped is ignored: nothing that a
/// stranger sends may end the service by accident, and nothing piles up unread. Faults of the program itself (SIGSEGV
/// and its like) are left alone, and SIGCHLD stays blocked for those who wait for children.
///
/// A signal that comes too often is merged, except for those that stop the service, and, unless configured, real-time
/// signals, each of which has a value of its own.
package final class SignalSource {
    private let loop: MainEventLoop
    private let mediator: LifecycleMediator
    private let senders = SenderLookup()
    /// By number.
    private var routes = [SignalRoute?](repeating: nil, count: Int(belfry_sigrtmax()) + 1)

    /// Called for `stop`, in place of that transition: why the service has to stop is for others to find out.
    package var onStop: ((SignalOrigin) -> Void)?
    /// Called for `stopNow`.
    package var onStopNow: ((SignalOrigin) -> Void)?
    /// Called for `control`, with the value that came with the signal.
    package var onControl: ((SignalOrigin) -> Void)?
    /// Called when a signal begins to come too often, and when that was dealt with.
    package var onStorm: ((SignalStorm) -> Void)?

    /// Makes a source that watches nothing yet. All signals must be blocked (`belfry_block_signals`).
    package init(loop: MainEventLoop, mediator: LifecycleMediator) {
        self.loop = loop
        self.mediator = mediator
    }

    /// Maps signals to actions, in place of those that were mapped before, and limits storms of them.
    package func apply(_ settings: BelfrySettings) throws(SystemError) {
        endStorms()
        let actions = settings.signals.actions.filter { $0.value != .ignore }
        for number in 1...belfry_sigrtmax() where Self.isOurs(number) {
            if actions[number] == nil { routes[Int(number)] = nil }
            try SystemError.check(
                belfry_set_ignored(number, actions[number] == nil), verb: "set up signal", object: "\(number)")
        }
        let transitions = gate(settings.service, merges: true)
        for (number, action) in actions {
            let route = SignalRoute(number, action, gate: gate(of: number, action, transitions, settings.service))
            // A source that stays keeps what the kernel has queued for it.
            route.source = if let known = routes[Int(number)]?.source { known } else { try watch(number) }
            route.source?.priority = SourcePriority.signals
            routes[Int(number)] = route
        }
    }

    private func watch(_ number: Int32) throws(SystemError) -> SignalEventSource {
        try loop.source(signal: number) { [unowned self] in receive($0) }
    }

    private func gate(
        of number: Int32, _ action: SignalAction, _ transitions: SignalGate, _ settings: ServiceSettings
    ) -> SignalGate? {
        switch action {
        case .stop, .stopNow, .ignore: nil
        case .pause, .resume, .interrupt: transitions
        case .control: gate(settings, merges: false)
        case .reload, .post:
            gate(settings, merges: settings.limitsRealtimeSignals || !SignalName.realTime.contains(number))
        }
    }

    private func gate(_ settings: ServiceSettings, merges: Bool) -> SignalGate {
        let gate = SignalGate(loop: loop, merges: merges) { [unowned self] in perform($0, $1, count: $2) }
        if let burst = settings.signalLimitBurst, let interval = settings.signalLimitInterval, interval > .zero {
            gate.limit = StormLimiter.Limit(burst: burst, interval: interval)
        }
        gate.onStorm = { [unowned self] in onStorm?($0) }
        return gate
    }

    /// Whether the signal is one that an operator may send: not a fault, not SIGCHLD, not one the C library keeps.
    private static func isOurs(_ number: Int32) -> Bool {
        SignalName.name(of: number) != nil && SignalName.whyNotMappable(number) == nil && number != SIGCHLD
    }

    private func receive(_ signal: ReceivedSignal) {
        guard let route = routes[Int(signal.number)] else { return }
        let now = MonotonicInstant(microseconds: loop.stamp.monotonicUsec)
        let sender = senders.sender(signal.senderPID, at: now)
        let origin = SignalOrigin(
            number: signal.number, name: route.name, pid: signal.senderPID, uid: signal.senderUID, unit: sender.unit,
            command: sender.command, value: signal.value, sender: signal.isFromKernel ? .kernel : nil)
        if let gate = route.gate { gate.take(route, origin, at: now) } else { perform(route, origin, count: 1) }
    }

    private func perform(_ route: SignalRoute, _ origin: SignalOrigin, count: Int) {
        let userInfo: UserInfo = count > 1 ? ["count": .int(Int64(count))] : [:]
        switch route.action {
        case .stop:
            endStorms()
            onStop?(origin) ?? mediator.perform(.stop, origin: .signal(origin))
        case .stopNow:
            endStorms()
            onStopNow?(origin)
        case .reload: mediator.perform(.reload, origin: .signal(origin), userInfo: userInfo)
        case .pause: mediator.perform(.pause, origin: .signal(origin), userInfo: userInfo)
        case .resume where isStopPending: break
        case .resume where route.number == SIGCONT:
            // The kernel does not say whether the process had been stopped.
            let resumed = Suspension(.signal).userInfo.merging(userInfo) { cause, _ in cause }
            mediator.perform(.continued, origin: .signal(origin), userInfo: resumed)
        case .resume: mediator.perform(.resume, origin: .signal(origin), userInfo: userInfo)
        case .interrupt: mediator.perform(.interrupt, origin: .signal(origin), userInfo: userInfo)
        case .control: onControl?(origin)
        case .ignore: break
        case .post:
            guard let name = route.notification else { return }
            mediator.post(name, userInfo: userInfo, origin: .signal(origin))
        }
    }

    /// Whether a stop is still to be read. The service manager sends a SIGCONT right after it, which is no *continue*;
    /// which of the two is read first is for the kernel to say (signal(7)). To ask costs less than to read stops apart.
    private var isStopPending: Bool {
        var pending = sigset_t()
        guard sigpending(&pending) == 0 else { return false }
        return routes.contains { route in
            guard let route, route.action == .stop || route.action == .stopNow else { return false }
            return sigismember(&pending, route.number) == 1
        }
    }

    /// Delivers what is held back.
    private func endStorms() {
        for case let route? in routes { route.gate?.end() }
    }
}

/// What becomes of one signal, worked out once and not at every delivery.
final class SignalRoute {
    let number: Int32
    /// `SIGUSR1`, `SIGRTMIN+5`.
    let name: String
    let action: SignalAction
    /// What `post` posts.
    let notification: LifecycleNotification.Name?
    /// Limits storms; nil for what must never wait.
    let gate: SignalGate?
    var source: SignalEventSource?

    init(_ number: Int32, _ action: SignalAction, gate: SignalGate?) {
        self.number = number
        self.action = action
        self.gate = gate
        name = SignalName.name(of: number).map { "SIG" + $0 } ?? "\(number)"
        notification = if case .post(let name) = action { LifecycleNotification.Name(name) } else { nil }
    }
}

/// Finds the unit and the command of the process that sent a signal. A burst from one sender is looked up once.
final class SenderLookup {
    /// What could be found. A sender that is gone, or out of sight, leaves nothing.
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
        let sender = Sender(pid: pid, unit: ProcessUnit.of(pid), command: command)
        last = (sender, now)
        return sender
    }
}
