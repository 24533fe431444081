// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfrySystemd
package import Lifecycle

/// The journal records of what happens to the service, with their fields.
package nonisolated enum LifecycleRecords {
    /// The record of a notification, with everything that subscribers receive, so that it can be replayed.
    ///
    /// - Parameter counter: the id of the counter that numbered it.
    static func record(of notification: LifecycleNotification, counter: String? = nil) -> JournalRecord {
        let moves = notification.previousState != notification.state
        let change: RecordText = moves ? " \(notification.previousState) -> \(notification.state)" : ""
        let kind: MessageID = notification.trigger == nil ? .notification : .transition
        return JournalRecord(
            .info, "\(notification.name)\(change), \(notification.origin.words)\(notification.details)",
            id: kind.rawValue, fields: fields(of: notification) + fields(of: notification.userInfo, counter))
    }

    /// The record of a trigger that was merged with one that waits: no notification names who asked for it.
    static func record(ofMerged trigger: LifecycleTrigger, by origin: LifecycleOrigin) -> JournalRecord {
        JournalRecord(
            .info, "\(trigger) merged with the one that waits, \(origin.words)", id: MessageID.merged.rawValue,
            fields: [("BELFRY_TRIGGER", trigger.rawValue), ("BELFRY_ORIGIN", origin.kind)] + fields(of: origin))
    }

    /// The record of a listener that refused, failed or overran; nil for any other outcome.
    static func record(of report: ListenerReport, for notification: LifecycleNotification) -> JournalRecord? {
        var took: RecordText { "after \(report.duration.milliseconds) ms" }
        let text: RecordText
        switch report.outcome {
        case .completed, .handled, .declined, .fetched(.newData), .fetched(.noData): return nil
        case .fetched(.failed): text = "listener '\(report.listener)' could not answer \(notification.name)"
        case .refused(let reason): text = "listener '\(report.listener)' refused \(notification.name): \(reason)"
        case .failed(let reason): text = "listener '\(report.listener)' failed at \(notification.name): \(reason)"
        case .late: text = "listener '\(report.listener)' answered \(notification.name) late, \(took)"
        case .overran:
            text = "listener '\(report.listener)' gave no answer to \(notification.name) \(took), going on without it"
        }
        return JournalRecord(
            .warning, text, id: MessageID.listenerFailed.rawValue,
            fields: fields(of: notification) + fields(report.listener, report.outcome, report.duration))
    }

    /// The record that says how a listener is doing.
    static func record(of status: ListenerStatus, for notification: LifecycleNotification) -> JournalRecord {
        let record = status.record
        let last: RecordText =
            record.lastOutcome.map { ", last \($0.word) after \((record.lastDuration ?? .zero).milliseconds) ms" } ?? ""
        return JournalRecord(
            .info, "listener '\(status.name)': \(record.calls) calls, \(record.failures) failures\(last)",
            id: MessageID.listenerStatus.rawValue,
            fields: fields(of: notification)
                + fields(status.name, record.lastOutcome ?? .completed, record.lastDuration ?? .zero)
                + [("BELFRY_CALLS", "\(record.calls)"), ("BELFRY_FAILURES", "\(record.failures)")])
    }

    /// The record that says that a listener follows one that is not there.
    static func record(ofUnknown name: String, followedBy listener: String) -> JournalRecord {
        JournalRecord(
            .warning, "listener '\(listener)' follows '\(name)', which is not there, ignoring",
            id: MessageID.unknownFollowed.rawValue, fields: [("BELFRY_LISTENER", listener)])
    }

    /// The record of the health that a listener reports.
    static func record(of health: ListenerHealth, of listener: String) -> JournalRecord {
        let (priority, text): (JournalRecord.Priority, RecordText) =
            switch health {
            case .healthy: (.notice, "is healthy again")
            case .unhealthy(let reason): (.warning, "is unhealthy, sending no watchdog keep-alive: \(reason)")
            case .lost(let reason): (.critical, "is lost, triggering the watchdog: \(reason)")
            }
        return JournalRecord(
            priority, "listener '\(listener)' \(text)", id: MessageID.listenerHealth.rawValue,
            fields: [("BELFRY_LISTENER", listener), ("BELFRY_HEALTH", health.word)]
                + (health.reason.map { [("BELFRY_REASON", $0)] } ?? []))
    }

    private static func fields(of userInfo: UserInfo, _ counter: String?) -> [(name: String, value: String)] {
        (counter.map { [("BELFRY_SEQUENCE_ID", $0)] } ?? [])
            + (userInfo.isEmpty ? [] : [("BELFRY_USER_INFO", JSONValue.object(userInfo).description)])
    }

    private static func fields(of notification: LifecycleNotification) -> [(name: String, value: String)] {
        let common = [
            ("BELFRY_NOTIFICATION", notification.name.rawValue), ("BELFRY_SEQUENCE", "\(notification.sequence)"),
            ("BELFRY_STATE", notification.state.rawValue),
            ("BELFRY_PREVIOUS_STATE", notification.previousState.rawValue),
            ("BELFRY_ORIGIN", notification.origin.kind),
            ("BELFRY_REALTIME_USEC", "\(notification.time.realtimeUsec)"),
            ("BELFRY_MONOTONIC_USEC", "\(notification.time.monotonicUsec)"),
        ]
        var launch: [(name: String, value: String)] = []
        if notification.name == .willFinishLaunching, case .string(let cause) = notification.userInfo["cause"] {
            launch = [("BELFRY_LAUNCH_CAUSE", cause)]
        }
        return common + launch + fields(of: notification.origin)
    }

    /// The fields that say who it was.
    package static func fields(of origin: LifecycleOrigin) -> [(name: String, value: String)] {
        switch origin {
        case .service: []
        case .signal(let signal):
            [
                ("BELFRY_SIGNAL", signal.name), ("BELFRY_SIGNAL_VALUE", "\(signal.value)"),
            ] + (signal.sender == .process ? [] : [("BELFRY_SIGNAL_SENDER", signal.sender.rawValue)])
                + sender(signal.pid, signal.uid, signal.unit, signal.command)
        case .peer(let peer): sender(peer.pid, peer.uid, peer.unit, peer.command)
        }
    }

    private static func sender(
        _ pid: Int32, _ uid: UInt32, _ unit: String?, _ command: String?
    ) -> [(name: String, value: String)] {
        [("BELFRY_SENDER_PID", "\(pid)"), ("BELFRY_SENDER_UID", "\(uid)")]
            + (unit.map { [("BELFRY_SENDER_UNIT", $0)] } ?? [])
            + (command.map { [("BELFRY_SENDER_COMMAND", $0)] } ?? [])
    }

    private static func fields(
        _ listener: String, _ outcome: ListenerOutcome, _ duration: Duration
    ) -> [(name: String, value: String)] {
        [
            ("BELFRY_LISTENER", listener), ("BELFRY_OUTCOME", outcome.word),
            ("BELFRY_DURATION_USEC", "\(duration.wholeMicroseconds)"),
        ]
    }
}

nonisolated extension LifecycleNotification {
    /// What the record says beyond name, states and origin, beginning with a comma; empty if there is nothing.
    var details: RecordText {
        switch name {
        case .willFinishLaunching: LaunchOptions(userInfo: userInfo).map(Self.details) ?? ""
        case .didResume: (Suspension(userInfo: userInfo).map(Self.details) ?? "") + deliveries
        case .willTerminate: userInfo.text("reason").map { ", reason \($0)" } ?? ""
        case .didFailToReload: reasons.map { ", the old configuration stays:" + $0 } ?? ""
        case .didReceiveMemoryWarning: userInfo.text("level").map { ", level \($0)" } ?? ""
        case .significantTimeChange: TimeChange(userInfo: userInfo).map(Self.details) ?? ""
        case .protectedDataDidBecomeAvailable, .protectedDataWillBecomeUnavailable:
            userInfo.text("path").map { ", \($0)" } ?? ""
        default: deliveries
        }
    }

    /// How many deliveries of a signal were merged into it.
    private var deliveries: RecordText {
        guard case .signal = origin, case .int(let count) = userInfo["count"] else { return "" }
        return ", \(count) deliveries in one"
    }

    private static func details(_ options: LaunchOptions) -> RecordText {
        guard let cause = options.cause else { return "" }
        return ", after \(cause.rawValue)" + (options.previousRun?.exit.map { " (\($0))" } ?? "") as RecordText
    }

    private static func details(_ suspension: Suspension) -> RecordText {
        let cause =
            switch suspension.cause {
            case .signal: "continued by a signal"
            case .freezer: "suspended by the freezer"
            case .sleep: "suspended by the sleep of the machine"
            }
        let bound = suspension.isExact ? "" : "at most "
        return ", \(cause)" + (suspension.duration.map { " for \(bound)\($0.milliseconds) ms" } ?? "") as RecordText
    }

    private static func details(_ change: TimeChange) -> RecordText {
        switch change {
        case .clock(let step):
            let sign = step < .zero ? "-" : "+"
            let (seconds, milliseconds) = step.milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
            let fraction = "\(1000 + milliseconds)".dropFirst()
            return ", clock set by \(sign)\(seconds).\(fraction) s"
        case .timeZone(let from, let to):
            return ", time zone \(from ?? "without a name") -> \(to ?? "without a name")"
        }
    }

    private var reasons: RecordText? {
        guard case .array(let reasons) = userInfo["reasons"] else { return nil }
        return reasons.reduce("") { text, reason in
            if case .string(let line) = reason { text + "\n\(line)" } else { text }
        }
    }
}

extension Duration {
    /// Whole milliseconds, for texts.
    nonisolated var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
