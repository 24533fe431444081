// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
package import BelfrySystemd
package import Lifecycle

/// The record of a transition or a post that has ended: how long it took, and when each listener was called for how
/// long. `belfryctl history --records` prints the calls.
///
/// There is one for each launch and stop, and one for any other transition or post in which an answer had a deadline,
/// failed, was late or says what was done. Other immediate answers alone would double the records for a few
/// microseconds each.
package nonisolated enum TimelineRecord {
    /// The record of an event of the mediator; nil if there is none.
    package static func record(of event: LifecycleMediator.Event) -> JournalRecord? {
        switch event {
        case .transitionEnded(let report): record(of: report)
        case .postAnswered(let report): record(of: report)
        default: nil
        }
    }

    /// The record of a transition; nil if there is none.
    package static func record(of report: TransitionReport) -> JournalRecord? {
        let isRecorded =
            report.trigger == .launch || report.trigger == .stop
            || report.notifications.contains(where: \.isNotable)
        guard isRecorded, let first = report.notifications.first, let last = report.notifications.last else {
            return nil
        }
        let timeline = Timeline(report.notifications)
        var fields: JournalFields = ["BELFRY_TRIGGER": report.trigger.rawValue]
        fields.add("BELFRY_SEQUENCE", first.notification.sequence)
        fields.add("BELFRY_STATE", last.notification.state.rawValue)
        fields.add("BELFRY_PREVIOUS_STATE", first.notification.previousState.rawValue)
        fields.add("BELFRY_ORIGIN", report.origin.kind)
        fields.add(report.origin)
        fields.add(timeline.fields)
        let what = report.trigger == .continued ? LifecycleTrigger.resume : report.trigger
        return JournalRecord(
            .info, "\(what.rawValue) \(timeline.text)", id: MessageID.timeline.rawValue, fields: fields)
    }

    /// The record of a post whose answers have ended; nil if the post itself has none.
    package static func record(of report: LifecycleReport) -> JournalRecord? {
        guard report.notification.journalEntry != .none else { return nil }
        let timeline = Timeline([report])
        var fields = LifecycleJournalRecords.fields(of: report.notification)
        fields.add(timeline.fields)
        return JournalRecord(
            .info, "\(report.notification.name) \(timeline.text)", id: MessageID.answers.rawValue, fields: fields)
    }
}

/// The calls of the listeners for one or more notifications.
private nonisolated struct Timeline {
    private let reports: [LifecycleReport]
    private let took: Duration

    init(_ reports: [LifecycleReport]) {
        self.reports = reports
        let first = reports.first?.notification.time.monotonic ?? .zero
        took = reports.lazy.flatMap(\.listeners).map { $0.start + $0.duration - first }.reduce(.zero) { max($0, $1) }
    }

    /// `took 12 ms: 'cache' 11 ms, 'video' 1 ms`, with the three listeners that took longest.
    var text: RecordText {
        let times = Dictionary(
            reports.lazy.flatMap(\.listeners).map { ($0.listener, $0.duration) }, uniquingKeysWith: +)
        let longest = times.filter { $0.value.milliseconds > 0 }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3)
        return longest.enumerated().reduce("took \(took.milliseconds) ms") { text, next in
            let (place, (name, time)) = next
            return text + "\(place == 0 ? ":" : ",") '\(name)' \(time.milliseconds) ms"
        }
    }

    var fields: JournalFields {
        [
            "BELFRY_DURATION_USEC": "\(took.wholeMicroseconds)",
            "BELFRY_TIMELINE": JSONValue.array(reports.map(Self.step)).description,
        ]
    }

    private static func step(_ report: LifecycleReport) -> JSONValue {
        let notification = report.notification
        return [
            "notification": .string(notification.name.rawValue), "sequence": .int(Int64(notification.sequence)),
            "startUsec": .int(Int64(notification.time.monotonicUsec)),
            "listeners": .array(
                report.listeners.map { call in
                    var object: JSONObject = [
                        "listener": .string(call.listener), "outcome": .string(call.outcome.kind),
                        "startUsec": .int(call.start.signedMicroseconds),
                        "durationUsec": .int(call.duration.signedMicroseconds),
                    ]
                    object["work"] = call.work.map { .string($0.text) }
                    object["details"] = call.work?.details.map { .object($0) }
                    return .object(object)
                }),
        ]
    }
}
