// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle
package import BelfrySystemd
internal import BelfryJSON

/// The record of a launch or a stop that has ended: how long it took, and when each listener was called for how long.
package nonisolated enum TimelineRecord {
    /// Nil for any other transition, and for one that told nobody anything.
    package static func record(of report: TransitionReport) -> JournalRecord? {
        guard report.trigger == .launch || report.trigger == .stop,
            let first = report.notifications.first?.notification.time.monotonicUsec
        else { return nil }
        let calls = report.notifications.flatMap(\.listeners)
        let end = calls.map { $0.duration.end(from: $0.startUsec) }.max() ?? first
        let took = Duration.microseconds(max(end, first) - first)
        let longest = calls.max { $0.duration < $1.duration }
        let detail: RecordText = longest.map { ", '\($0.listener)' \($0.duration.milliseconds) ms of it" } ?? ""
        return JournalRecord(
            .info, "\(report.trigger) took \(took.milliseconds) ms\(calls.isEmpty ? "" : detail)",
            id: MessageID.timeline.rawValue,
            fields: [
                ("BELFRY_TRIGGER", report.trigger.rawValue),
                ("BELFRY_DURATION_USEC", "\(took.wholeMicroseconds)"),
                ("BELFRY_TIMELINE", JSONValue.array(report.notifications.map(step)).description),
            ])
    }

    private static func step(_ report: LifecycleReport) -> JSONValue {
        let notification = report.notification
        return [
            "notification": .string(notification.name.rawValue), "sequence": .int(Int64(notification.sequence)),
            "startUsec": .int(Int64(notification.time.monotonicUsec)),
            "listeners": .array(
                report.listeners.map { call in
                    [
                        "listener": .string(call.listener), "outcome": .string(call.outcome.word),
                        "startUsec": .int(Int64(call.startUsec)),
                        "durationUsec": .int(call.duration.signedMicroseconds),
                    ]
                }),
        ]
    }
}
