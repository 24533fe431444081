// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import Lifecycle
internal import BelfryListeners
internal import Varlink

/// What a signal would do.
extension SocketListener {
    /// Answers `Explain`, with the times that the unit has now.
    func explain(_ request: VarlinkRequest) {
        if subject(of: request) != nil { explanations.add(request, for: 0) }
    }

    /// Asks for the times of the unit once for all.
    func explain(_ requests: [VarlinkRequest], _ done: @escaping () -> Void) {
        let answer = { [weak self] in
            for request in requests { self?.explainNow(request) }
            done()
        }
        if let refreshTimeouts { refreshTimeouts(answer) } else { answer() }
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
        reply["steps"] = plan.map(PlanReplies.steps) ?? .array([])
        reply["tasks"] = plan.map(PlanReplies.tasks) ?? .array([])
        reply["longestUsec"] = PlanReplies.duration(plan?.longest ?? .zero)
        reply["fits"] = .bool(plan?.fits ?? true)
        if let limit = plan?.limit, !(plan?.steps.isEmpty ?? true) {
            reply["limitUsec"] = PlanReplies.duration(limit)
            if case .transition(let trigger) = effect.work, let (setting, time) = unitTimeout(for: trigger) {
                reply["unitSetting"] = .string(setting)
                reply["unitTimeoutUsec"] = time.map(PlanReplies.duration)
            }
        }
        request.reply(reply)
    }

    /// Answers `Rehearse`.
    func rehearse(_ request: VarlinkRequest) {
        if let (number, _, _) = subject(of: request) { rehearsals.add(request, for: number) }
    }

    /// Rehearses a signal once for all who asked for it, as by the first of them.
    func rehearse(_ requests: [VarlinkRequest], _ done: @escaping () -> Void) {
        guard let first = requests.first, let (number, effect, head) = subject(of: first) else { return done() }
        let completion = { (report: RehearsalReport) in
            var reply = head
            reply["number"] = .int(Int64(number))
            reply["steps"] = PlanReplies.steps(report)
            reply["passed"] = .bool(report.reasons.isEmpty)
            reply["reasons"] = .array(report.reasons.map { .string($0) })
            reply["unasked"] = .array(report.unasked.map { .string($0) })
            for request in requests { request.reply(reply) }
            done()
        }
        let origin = origin(of: first)
        switch effect.work {
        case .transition(let trigger): mediator.rehearse(trigger, origin: origin, completion: completion)
        case .post(let name): mediator.rehearse(posting: name, origin: origin, completion: completion)
        case .nothing: completion(RehearsalReport.nothing)
        }
    }

    /// The signal that is asked for and what it does, or an error for a signal that is none.
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
        let settings = mediator.configuration[BelfrySettings.self] ?? .defaults
        let action = settings.signals.actions[number]
        let effect =
            action.map {
                SignalEffect(
                    of: $0, number, isStopping: mediator.isStopping, stopsOnPause: settings.service.stopOnPause)
            } ?? SignalEffect(ofUnheard: number)
        let head: JSONObject = [
            "signal": .string(SignalName.name(of: number).map { "SIG" + $0 } ?? text),
            "action": .string(action.map { "\($0)" } ?? "none"), "effect": .string(effect.words),
            "state": .string(mediator.state.rawValue),
        ]
        return (number, effect, head)
    }

    /// The unit's own time for a transition, by its name in the unit; nil where it is not known or there is none.
    private func unitTimeout(for trigger: LifecycleTrigger) -> (setting: String, time: Duration?)? {
        guard let unit = unitTimeouts else { return nil }
        switch trigger {
        case .stop: return ("TimeoutStopSec", unit.stop)
        case .launch, .reload: return ("TimeoutStartSec", unit.start)
        default: return nil
        }
    }
}
