// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import Lifecycle
internal import BelfryListeners
internal import Varlink

/// What would happen, as JSON in the shape that the interface declares.
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
