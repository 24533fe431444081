// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryListeners
internal import BelfrySystemd
internal import Glibc
internal import Lifecycle
internal import Varlink

/// Answers what a signal would do.
extension SocketListener {
    /// Answers `Explain`, with the current timeouts of the unit.
    func explain(_ request: VarlinkRequest) {
        if subject(of: request) != nil { explanations.add(request) }
    }

    /// Reads the timeouts of the unit once for all requests.
    func explain(_ requests: [VarlinkRequest], _ done: @escaping () -> Void) {
        refreshTimeouts { [weak self] in
            for request in requests { self?.explainNow(request) }
            done()
        }
    }

    private func explainNow(_ request: VarlinkRequest) {
        guard let (number, effect, head) = subject(of: request) else { return }
        var reply = head
        let plan: LifecyclePlan? =
            switch effect.work {
            case .transition(let trigger): mediator.plan(for: trigger)
            case .post(let name): mediator.plan(forPosting: name)
            case .nothing: nil
            }
        reply["number"] = .int(Int64(number))
        let tasks = plan?.tasks ?? []
        reply["steps"] = JSONValue(plan?.steps ?? [])
        reply["tasks"] = .array(tasks.map { ["name": .string($0.name), "remainingUsec": JSONValue($0.remaining)] })
        reply["longestUsec"] = JSONValue(plan?.longest ?? .zero)
        reply["fits"] = .bool(plan?.fits ?? true)
        if let limit = plan?.limit, !(plan?.steps.isEmpty ?? true) {
            reply["limitUsec"] = JSONValue(limit)
            if case .transition(let trigger) = effect.work, let (setting, time) = unitTimeout(for: trigger) {
                reply["unitSetting"] = .string(setting)
                reply["unitTimeoutUsec"] = time.map { JSONValue($0) }
            }
        }
        request.reply(reply)
    }

    /// The requested signal and what it does. Fails the request when there is no such signal.
    private func subject(of request: VarlinkRequest) -> (Int32, SignalEffect, JSONObject)? {
        let text = request.parameters["signal"]?.stringValue ?? ""
        let number: Int32
        do throws(ValueProblem) {
            number = try SignalName.number(text)
        } catch {
            request.fail(
                "io.belfry.Lifecycle.InvalidSignal", ["signal": .string(text), "reason": .string(error.message)])
            return nil
        }
        let action = parameters.signals[number]
        let effect =
            action.map {
                SignalEffect(
                    of: $0, number, isStopping: mediator.isStopping, stopsOnPause: parameters.stopsOnPause)
            } ?? SignalEffect(ofUnheard: number)
        let head: JSONObject = [
            "signal": .string(SignalName.name(of: number).map { "SIG" + $0 } ?? text),
            "action": .string(action.map { "\($0)" } ?? "none"), "effect": .string(effect.words),
            "state": .string(mediator.state.rawValue),
        ]
        return (number, effect, head)
    }

    /// The unit's timeout for a transition, with its name in the unit; nil when it is unknown or there is none.
    private func unitTimeout(for trigger: LifecycleTrigger) -> (setting: String, time: Duration?)? {
        guard let unit = unitTimeouts else { return nil }
        switch trigger {
        case .stop: return ("TimeoutStopSec", unit.stop)
        case .launch, .reload: return ("TimeoutStartSec", unit.start)
        default: return nil
        }
    }
}

/// Runs costly work one at a time. Requests that arrive meanwhile wait, and are answered together by work that begins
/// afterwards.
final class RequestMerger {
    /// Does the work, and calls `done` when the requests are answered.
    typealias Work = (_ requests: [VarlinkRequest], _ done: @escaping () -> Void) -> Void

    private let work: Work
    private var waiting: [VarlinkRequest] = []
    private var isWorking = false

    init(_ work: @escaping Work) { self.work = work }

    /// Adds a request.
    func add(_ request: VarlinkRequest) {
        waiting.append(request)
        if !isWorking { workOnNext() }
    }

    private func workOnNext() {
        guard !waiting.isEmpty else { return }
        let requests = waiting
        waiting = []
        isWorking = true
        work(requests) { [weak self] in
            self?.isWorking = false
            self?.workOnNext()
        }
    }
}

/// What a signal would do: a transition, a post, or neither, and a text about what the list of notifications does not show.
nonisolated struct SignalEffect: Sendable, Equatable {
    /// What happens to the notifications.
    enum Work: Sendable, Equatable {
        /// A transition runs.
        case transition(LifecycleTrigger)
        /// A notification is posted.
        case post(LifecycleNotification.Name)
        /// Nothing is delivered.
        case nothing
    }

    /// What happens to the notifications.
    let work: Work
    /// A text about anything else.
    let words: String

    /// - Parameters:
    ///   - action: what the signal is mapped to.
    ///   - number: the signal.
    ///   - isStopping: whether a stop is under way.
    ///   - stopsOnPause: `StopOnPause=`.
    init(of action: SignalAction, _ number: Int32, isStopping: Bool, stopsOnPause: Bool) {
        switch action {
        case .stop where isStopping:
            self.init(.nothing, "cuts the stop under way short; the process ends with \(128 + number)")
        case .stop: self.init(.transition(.stop), "stops the service in order; the process ends with 0")
        case .stopNow:
            self.init(
                .post(.statusRequested), "the process ends at once with \(128 + number), no listener is waited for")
        case _ where isStopping && action.isTransition:
            self.init(.nothing, "nothing: the service is stopping")
        case .reload: self.init(.transition(.reload), "reads the configuration again, and keeps the old one on failure")
        case .pause where stopsOnPause:
            self.init(.transition(.pause), "pauses the service, which then stops itself with SIGSTOP")
        case .pause: self.init(.transition(.pause), "pauses the service")
        case .resume:
            self.init(.transition(number == SIGCONT ? .continued : .resume), "continues the service")
        case .interrupt: self.init(.transition(.interrupt), "interrupts the service: inactive until it continues")
        case .control:
            self.init(
                .post(.didReceiveMemoryWarning),
                "does what the value says that is queued with it; 0x300 posts a memory warning")
        case .ignore: self.init(.nothing, "nothing: it is ignored")
        case .post(let name): self.init(.post(name), "posts a notification")
        }
    }

    /// For a signal that the service cannot receive, or ignores.
    init(ofUnheard number: Int32) {
        let words =
            switch number {
            case SIGKILL:
                "the kernel ends the process at once, and no listener is called; systemd runs ExecStopPost=, which "
                    + "records the exit, and starts the service again if Restart= says so; clients are disconnected, and a "
                    + "subscriber that connects again gets what it has missed"
            case SIGSTOP:
                "the kernel stops the process until SIGCONT, and no listener is called; if this takes longer than "
                    + "WatchdogSec=, systemd ends the service; SIGCONT then posts didResume"
            default: SignalName.whyNotMappable(number).map { "no notification: \($0)" } ?? "nothing: it is ignored"
            }
        self.init(.nothing, words)
    }

    private init(_ work: Work, _ words: String) {
        self.work = work
        self.words = words
    }
}

nonisolated extension SignalAction {
    fileprivate var isTransition: Bool { [.reload, .pause, .resume, .interrupt].contains(self) }
}
