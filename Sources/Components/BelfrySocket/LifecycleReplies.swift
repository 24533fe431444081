// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import Lifecycle
internal import Varlink

// What replies contain, in the form that the interface declares.

nonisolated extension JSONObject {
    /// The result of a notification whose client waited.
    init(_ report: LifecycleReport) {
        self = [
            "sequence": .int(Int64(report.notification.sequence)), "result": .string(report.result.rawValue),
            "reports": .array(report.reports),
        ]
    }
}

nonisolated extension LifecycleReport {
    /// How each listener handled it.
    var reports: [JSONValue] { listeners.map { JSONValue($0, in: notification.name) } }
}

nonisolated extension TransitionReport {
    /// The listeners that failed, refused, were late or say what they did.
    var notableReports: [JSONValue] {
        notifications.flatMap { report in
            report.listeners.lazy.filter(\.isNotable).map { JSONValue($0, in: report.notification.name) }
        }
    }
}

nonisolated extension JSONObject {
    /// The progress of a listener, whose answer the client waits for.
    init(_ progress: LifecycleProgress, after time: Duration) {
        var report: JSONObject = [
            "listener": .string(progress.name), "outcome": "running", "durationUsec": JSONValue(time),
        ]
        report["reason"] = progress.text.map { .string($0) }
        report["details"] = progress.details.map { .object($0) }
        self = [
            "sequence": .int(Int64(progress.sequence ?? 0)), "result": "running", "reports": [.object(report)],
        ]
    }
}

nonisolated extension JSONValue {
    /// Microseconds.
    init(_ duration: Duration) { self = .int(Int64(clamping: duration.microseconds)) }

    /// How one listener handled a notification.
    init(_ report: ListenerReport, in name: LifecycleNotification.Name) {
        self.init(
            of: report.listener, report.outcome, after: report.duration, work: report.work,
            overrunReason: report.overrunReason, in: name)
    }

    /// How a listener has handled a notification.
    init(
        of listener: String, _ outcome: ListenerOutcome, after duration: Duration, work: WorkSummary? = nil,
        overrunReason: String? = nil, in name: LifecycleNotification.Name
    ) {
        var object: JSONObject = [
            "listener": .string(listener), "notification": .string(name.rawValue),
            "outcome": .string(outcome.kind), "durationUsec": JSONValue(duration),
        ]
        object["reason"] = (outcome.reason ?? overrunReason).map { .string($0) }
        object["work"] = work.map { .string($0.text) }
        object["details"] = work?.details.map { .object($0) }
        self = .object(object)
    }

    /// A listener and its record.
    init(_ status: ListenerStatus, healthyUsec: Int64? = nil) {
        let record = status.record
        var object: JSONObject = [
            "name": .string(status.name), "interests": .array(status.interests.map { .string($0.rawValue) }),
            "order": .int(Int64(status.order)), "deadlineUsec": JSONValue(status.deadline),
            "calls": .int(Int64(record.calls)), "failures": .int(Int64(record.failures)),
        ]
        object["health"] = .string(status.health.kind)
        object["activity"] = status.activity.map { .string($0) }
        object["healthReason"] = status.health.reason.map { .string($0) }
        object["healthyUsec"] = healthyUsec.map { .int($0) }
        object["lastOutcome"] = record.lastOutcome.map { .string($0.kind) }
        object["lastReason"] = record.lastOutcome?.reason.map { .string($0) }
        if record.lastOutcome?.isProblem ?? false {
            object["lastNotification"] = record.lastFailedNotification.map { .string($0.rawValue) }
        }
        object["lastDurationUsec"] = record.lastDuration.map { JSONValue($0) }
        object["longestDurationUsec"] = record.longestDuration.map { JSONValue($0) }
        object["lastWork"] = record.lastWork.map { .string($0) }
        object["stillRunning"] = .int(Int64(status.stillRunning))
        self = .object(object)
    }

    /// The steps of a plan.
    init(_ steps: [LifecyclePlan.Step]) {
        self = .array(
            steps.map { step in
                [
                    "name": .string(step.name.rawValue), "previousState": .string(step.previousState.rawValue),
                    "state": .string(step.state.rawValue),
                    "listeners": .array(
                        step.groups.enumerated().flatMap { group, calls in
                            calls.map { JSONValue($0, ofGroup: group) }
                        }),
                ]
            })
    }

    /// A call of a plan.
    private init(_ call: LifecyclePlan.Call, ofGroup group: Int) {
        var object: JSONObject = ["name": .string(call.listener), "group": .int(Int64(group))]
        object["deadlineUsec"] = call.deadline.map { JSONValue($0) }
        object["shareUsec"] = call.share.map { JSONValue($0) }
        self = .object(object)
    }
}
