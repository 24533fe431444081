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
/// A signal that has a route is blocked and read from a descriptor. The others that an operator may send are ignored,
/// so that they neither end the service by accident nor stay pending.
///
/// A signal that stops the service is read before anything else. The others take turns with clients, so that a process
/// which sends one of them without end delays neither.
package final class SignalSource {
    private let loop: MainEventLoop
    private let mediator: LifecycleMediator
    private let stops: StopReasonSource
    private let reloads: ReloadContinuation
    private let stopNow: (SignalOrigin) -> Void
    private let control: (SignalOrigin) -> Void
    private let senders = SenderLookup()
    /// By number.
    @exclusivity(unchecked)  // nothing calls out while it is used
    private var routes = [SignalRoute?](repeating: nil, count: Int(__libc_current_sigrtmax()) + 1)
    /// The signals that had a handler.
    private var handled: Set<Int32> = []
    /// Watches the signals that stop the service.
    private var stopSignals: SignalEventSource?
    /// Watches those that do something else.
    private var otherSignals: SignalEventSource?

    /// Makes a source without routes. All signals must be blocked (`belfry_block_signals`).
    ///
    /// - Parameters:
    ///   - stops: stops the service, with the reason.
    ///   - reloads: tells the SIGCONT of a reload.
    ///   - stopNow: called for `stopNow`.
    ///   - control: called for `control`, with the value that came with the signal.
    package init(
        loop: MainEventLoop, mediator: LifecycleMediator, stops: StopReasonSource, reloads: ReloadContinuation,
        stopNow: @escaping (SignalOrigin) -> Void, control: @escaping (SignalOrigin) -> Void
    ) {
        self.loop = loop
        self.mediator = mediator
        (self.stops, self.reloads) = (stops, reloads)
        (self.stopNow, self.control) = (stopNow, control)
    }

    /// Replaces the routes.
    ///
    /// - Parameters:
    ///   - routes: what each signal does.
    ///   - ignored: the signals that are ignored from now on, but for those that another part of the program reads.
    package func apply(_ routes: [SignalRoute], ignoring ignored: Set<Int32>) throws(SystemError) {
        // What follows removes the handlers, and not what reads the signals beside them.
        findHandlers(of: routes)
        self.routes = self.routes.map { _ in nil }
        for number in ignored where !belfry_has_handler(number) {
            try SystemError.check(belfry_set_ignored(number, true), verb: "set up signal", object: "\(number)")
        }
        for route in routes {
            try SystemError.check(belfry_set_ignored(route.number, false), verb: "set up signal", object: route.name)
            self.routes[Int(route.number)] = route
        }
        try watch(routes.filter(\.stops), with: &stopSignals)
        stopSignals?.priority = SourcePriority.stopSignals
        try watch(routes.filter { !$0.stops }, with: &otherSignals)
    }

    /// The routes of signals that another part of the program reads too, or has read. The kernel gives a signal to one
    /// of the two.
    package var readElsewhere: [SignalRoute] {
        let present = routes.compactMap(\.self)
        findHandlers(of: present)
        return present.filter { handled.contains($0.number) }
    }

    private func findHandlers(of routes: [SignalRoute]) {
        for route in routes where belfry_has_handler(route.number) { handled.insert(route.number) }
    }

    private func watch(_ routes: [SignalRoute], with source: inout SignalEventSource?) throws(SystemError) {
        let numbers = Set(routes.map(\.number))
        if let source { return try source.watch(numbers) }
        source = try loop.source(signals: numbers) { [unowned self] in receive($0) }
    }

    private func receive(_ signal: ReceivedSignal) {
        guard let route = routes[Int(signal.number)] else { return }
        let now = MonotonicInstant(microseconds: loop.stamp.monotonicUsec)
        let sender = senders.sender(signal.senderPID, uid: signal.senderUID, at: now)
        let origin = SignalOrigin(
            number: signal.number, name: route.name, pid: signal.senderPID, uid: signal.senderUID,
            loginUID: sender.loginUID, unit: sender.unit, command: sender.command, value: signal.value,
            sender: signal.isFromKernel ? .kernel : nil)
        perform(route.action, origin)
    }

    private func perform(_ action: SignalAction, _ origin: SignalOrigin) {
        let from = LifecycleOrigin.signal(origin)
        switch action {
        case .stop: stops.stop(origin)
        case .stopNow: stopNow(origin)
        case .reload:
            if origin.isFromManager { reloads.begin() }
            mediator.perform(.reload, origin: from)
        case .pause: mediator.perform(.pause, origin: from)
        case .resume where isStopPending: break
        case .resume where origin.number == SIGCONT:
            // The kernel does not say whether the process had been stopped.
            let userInfo: UserInfo = ["cause": .string(Suspension.Cause.signal.rawValue)]
            let resume = { [mediator] in mediator.perform(.continued, origin: from, userInfo: userInfo) }
            // A process that had stopped itself runs again.
            if origin.isFromManager, mediator.state != .suspended { reloads.receive(resume) } else { resume() }
        case .resume: mediator.perform(.resume, origin: from)
        case .interrupt: mediator.perform(.interrupt, origin: from)
        case .control: control(origin)
        case .ignore: break
        case .post(let name): mediator.post(name, origin: from)
        case .perform(let id): mediator.post(.performAction, userInfo: ["action": .string(id)], origin: from)
        }
    }

    /// Whether a stop is still to be read. The service manager sends a SIGCONT right after the stop signal, and the
    /// kernel decides which of the two is read first (signal(7)).
    private var isStopPending: Bool {
        var pending = sigset_t()
        guard sigpending(&pending) == 0 else { return false }
        return routes.contains { route in
            guard let route, route.stops else { return false }
            return sigismember(&pending, route.number) == 1
        }
    }
}

/// What one signal does.
package nonisolated struct SignalRoute: Sendable, Equatable {
    /// The signal.
    package let number: Int32
    /// `SIGUSR1`, `SIGRTMIN+5`.
    package let name: String
    /// What it does.
    package let action: SignalAction

    package init(_ number: Int32, name: String, _ action: SignalAction) {
        self.number = number
        self.name = name
        self.action = action
    }

    /// Whether it stops the service.
    fileprivate var stops: Bool { action == .stop || action == .stopNow }
}

/// Finds login, unit and command of the process that sent a signal. A burst from one sender is looked up once.
final class SenderLookup {
    /// What was found. A sender that has ended, or is in another pid namespace, leaves nothing.
    struct Sender {
        let pid: Int32
        let loginUID: UInt32?
        let unit: String?
        let command: String?
        let foundAt: MonotonicInstant
    }

    private static let validity: Duration = .milliseconds(50)
    private var last: Sender?

    /// What there is to know of `pid`, which has just sent a signal.
    func sender(_ pid: Int32, uid: UInt32, at now: MonotonicInstant) -> Sender {
        if let last, last.pid == pid, now - last.foundAt < Self.validity { return last }
        // The command first: it is the cheaper question, and the sender may be about to end.
        let command = ProcessIdentity.command(of: pid)
        let sender = Sender(
            pid: pid, loginUID: ProcessIdentity.loginUID(of: pid, runBy: uid), unit: ProcessUnit.of(pid)?.name,
            command: command, foundAt: now)
        last = sender
        return sender
    }
}
