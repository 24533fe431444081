// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryEventLoop
internal import BelfryListeners
internal import Lifecycle
internal import Varlink

/// Replies as JSON, in the form that the interface declares.
nonisolated enum LifecycleReplies {
    /// The result of a notification whose client waited.
    static func result(_ report: LifecycleReport) -> JSONObject {
        [
            "sequence": .int(Int64(report.notification.sequence)), "result": .string(report.result.rawValue),
            "reports": .array(report.listeners.map(self.report)),
        ]
    }

    static func report(_ report: ListenerReport) -> JSONValue {
        var object: JSONObject = [
            "listener": .string(report.listener), "outcome": .string(report.outcome.word),
            "durationUsec": duration(report.duration),
        ]
        object["reason"] = report.outcome.reason.map { .string($0) }
        return .object(object)
    }

    static func listener(_ status: ListenerStatus) -> JSONValue {
        let record = status.record
        var object: JSONObject = [
            "name": .string(status.name), "interests": .array(status.interests.map { .string($0.rawValue) }),
            "order": .int(Int64(status.order)), "deadlineUsec": duration(status.deadline),
            "calls": .int(Int64(record.calls)), "failures": .int(Int64(record.failures)),
        ]
        object["health"] = .string(status.health.word)
        object["healthReason"] = status.health.reason.map { .string($0) }
        object["lastOutcome"] = record.lastOutcome.map { .string($0.word) }
        object["lastDurationUsec"] = record.lastDuration.map(duration)
        object["longestDurationUsec"] = record.longestDuration.map(duration)
        return .object(object)
    }

    static func signal(_ number: Int32, _ action: SignalAction) -> JSONValue {
        [
            "signal": .string(SignalName.name(of: number).map { "SIG" + $0 } ?? "\(number)"),
            "number": .int(Int64(number)), "action": .string("\(action)"),
        ]
    }

    private static func duration(_ duration: Duration) -> JSONValue {
        .int(Int64(clamping: duration.microseconds))
    }
}

/// Plans and rehearsals as JSON, in the form that the interface declares.
nonisolated enum PlanReplies {
    static func steps(_ plan: LifecyclePlan) -> JSONValue {
        .array(
            plan.steps.map { step in
                [
                    "name": .string(step.name.rawValue), "previousState": .string(step.previousState.rawValue),
                    "state": .string(step.state.rawValue),
                    "listeners": .array(
                        step.groups.enumerated().flatMap { group, calls in calls.map { call($0, group) } }),
                ]
            })
    }

    static func tasks(_ plan: LifecyclePlan) -> JSONValue {
        .array(plan.tasks.map { ["name": .string($0.name), "remainingUsec": duration($0.remaining)] })
    }

    static func steps(_ report: RehearsalReport) -> JSONValue {
        .array(
            report.steps.map { step in
                [
                    "name": .string(step.name.rawValue), "reports": .array(step.listeners.map(LifecycleReplies.report)),
                    "skipped": .array(step.skipped.map { .string($0) }),
                ]
            })
    }

    static func duration(_ duration: Duration) -> JSONValue { .int(Int64(clamping: duration.microseconds)) }

    private static func call(_ call: LifecyclePlan.Call, _ group: Int) -> JSONValue {
        var object: JSONObject = [
            "name": .string(call.listener), "group": .int(Int64(group)), "rehearses": .bool(call.rehearses),
        ]
        object["deadlineUsec"] = call.deadline.map(duration)
        object["shareUsec"] = call.share.map(duration)
        return .object(object)
    }
}
