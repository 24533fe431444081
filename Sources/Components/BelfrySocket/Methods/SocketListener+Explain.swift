// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry
internal import BelfryConfiguration
internal import BelfrySystemd
internal import Lifecycle
internal import Varlink

/// Answers what a signal would do.
extension SocketListener {
    /// Answers `Explain`, with the current timeouts of the unit.
    func explain(_ request: VarlinkRequest) {
        let text = request.parameters["signal"]?.stringValue ?? ""
        do throws(ValueProblem) {
            let number = try SignalName.number(text)
            budget.refresh { [weak self] in self?.explain(number, text, request, $0) }
        } catch {
            request.fail(
                "io.belfry.Lifecycle.InvalidSignal", ["signal": .string(text), "reason": .string(error.message)])
        }
    }

    private func explain(_ number: Int32, _ text: String, _ request: VarlinkRequest, _ timeouts: UnitTimeouts?) {
        let action = parameters.signals[number]
        let effect =
            action.map {
                SignalEffect(
                    of: $0, number, isStopping: mediator.isStopping, stopsOnPause: parameters.stopsOnPause)
            } ?? SignalEffect(ofUnheard: number)
        var reply: JSONObject = [
            "signal": .string(SignalName.name(of: number).map { "SIG" + $0 } ?? text),
            "action": .string(action.map { "\($0)" } ?? "none"), "effect": .string(effect.words),
            "state": .string(mediator.state.rawValue),
        ]
        let plan: LifecyclePlan? =
            switch effect.work {
            case .transition(let trigger):
                mediator.plan(for: trigger).without { [application] name, call in
                    // Its program has no command for it: no Pause= at a stop.
                    call.listener == application?.name
                        && application?.command(at: name, trigger, unitJob: "stop") == nil
                }
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
            if case .transition(let trigger) = effect.work, let (setting, time) = timeouts?.timeout(for: trigger) {
                reply["unitSetting"] = .string(setting)
                reply["unitTimeoutUsec"] = time.map { JSONValue($0) }
            }
        }
        request.reply(reply)
    }
}

extension UnitTimeouts {
    /// The timeout for a transition, with its name in the unit; nil when there is none.
    fileprivate func timeout(for trigger: LifecycleTrigger) -> (setting: String, time: Duration?)? {
        switch trigger {
        case .stop: ("TimeoutStopSec", stop)
        case .launch, .reload: ("TimeoutStartSec", start)
        default: nil
        }
    }
}
