// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
package import BelfrySystemd
package import Lifecycle

/// The journal records of what happens to the service, with their fields.
package nonisolated enum LifecycleJournalRecords {
    /// In bytes. That of a program has several lines of its output.
    private static let longestReason = 4096

    /// The record of a notification, with everything that subscribers receive: `belfryctl history` reads it.
    ///
    /// - Parameters:
    ///   - listeners: those that it is delivered to; nil for a record without fields.
    ///   - counter: the id of the counter that numbered it.
    static func record(
        of notification: LifecycleNotification, for listeners: [String]?, counter: String?
    ) -> JournalRecord {
        let info = notification.userInfoText
        let moves = notification.previousState != notification.state
        let change: RecordText =
            moves ? " \(notification.previousState.rawValue) -> \(notification.state.rawValue)" : ""
        let kind: MessageID = notification.trigger == nil ? .notification : .transition
        var fields = JournalFields()
        if let listeners {
            fields = Self.fields(of: notification)
            if let counter { fields.add("BELFRY_SEQUENCE_ID", counter) }
            if let info { fields.add("BELFRY_USER_INFO", info) }
            if !listeners.isEmpty {
                fields.add("BELFRY_LISTENERS", JSONValue.array(listeners.map { .string($0) }).description)
            }
        }
        let details = notification.details(info, isInVain: listeners?.isEmpty == true)
        return JournalRecord(
            .info, "\(notification.name.rawValue)\(change), \(notification.origin)\(details)", id: kind.rawValue,
            fields: fields)
    }

    /// The record of a trigger that was merged with one that waits: no notification names who asked for it.
    static func record(ofMerged trigger: LifecycleTrigger, by origin: LifecycleOrigin) -> JournalRecord {
        var fields: JournalFields = ["BELFRY_TRIGGER": trigger.rawValue, "BELFRY_ORIGIN": origin.kind]
        fields.add(origin)
        return JournalRecord(
            .info, "\(trigger.rawValue) merged with the one that waits, \(origin)", id: MessageID.merged.rawValue,
            fields: fields)
    }

    /// The record of a listener that refused, failed or overran; nil for any other outcome.
    ///
    /// - Parameter suppressed: what `RecordLimit` says of such records before it.
    static func record(
        of report: ListenerReport, for notification: LifecycleNotification, _ suppressed: RecordText = ""
    ) -> JournalRecord? {
        var took: RecordText { "after \(report.duration.milliseconds) ms" }
        let text: RecordText
        switch report.outcome {
        case .completed, .handled, .declined, .fetched(.newData), .fetched(.noData): return nil
        case .fetched(.failed): text = "listener '\(report.listener)' could not answer \(notification.name)"
        case .refused(let reason):
            text = "listener '\(report.listener)' refused \(notification.name): \(reason, limit: longestReason)"
        case .failed(let reason):
            text = "listener '\(report.listener)' failed at \(notification.name): \(reason, limit: longestReason)"
        case .late: text = "listener '\(report.listener)' answered \(notification.name) late, \(took)"
        case .overran:
            let reason = report.overrunReason.map { ": \($0)" } ?? ""
            text =
                "listener '\(report.listener)' gave no answer to \(notification.name) "
                + "\(took)\(reason, limit: longestReason)"
        }
        var fields = fields(of: notification)
        fields.add(report.listener, report.outcome, report.duration)
        // A dry run asks for objections.
        let priority: LogPriority = notification.isDryRun ? .info : .warning
        return JournalRecord(priority, text + suppressed, id: MessageID.listenerFailed.rawValue, fields: fields)
    }

    /// The record of what a listener did; nil if it says nothing.
    static func record(ofWork report: ListenerReport, for notification: LifecycleNotification) -> JournalRecord? {
        guard let work = report.work else { return nil }
        var fields = fields(of: notification)
        fields.add(report.listener, report.outcome, report.duration)
        return record(of: work, by: report.listener, fields)
    }

    /// The record of what a listener did when nobody waited any longer for its answer to a notification.
    package static func record(
        of work: WorkSummary, by listener: String, for notification: LifecycleNotification
    ) -> JournalRecord {
        var fields = fields(of: notification)
        fields.add("BELFRY_LISTENER", listener)
        return record(of: work, by: listener, fields)
    }

    private static func record(
        of work: WorkSummary, by listener: String, _ fields: consuming JournalFields
    ) -> JournalRecord {
        if let details = work.details { fields.add("BELFRY_DETAILS", JSONValue.object(details).description) }
        return JournalRecord(
            .info, "\(listener): \(work.text)", id: MessageID.listenerWork.rawValue, fields: fields)
    }

    /// The record of the end of an answer that had missed its deadline.
    static func record(ofEnd report: ListenerReport, for notification: LifecycleNotification) -> JournalRecord {
        var fields = fields(of: notification)
        fields.add(report.listener, report.outcome, report.duration)
        let took = report.duration.milliseconds
        return JournalRecord(
            .notice, "listener '\(report.listener)' has ended its answer to \(notification.name), after \(took) ms",
            id: MessageID.listenerFailed.rawValue, fields: fields)
    }

    /// The record that says how a listener is doing.
    static func record(of status: ListenerStatus, for notification: LifecycleNotification) -> JournalRecord {
        let record = status.record
        let last: RecordText =
            record.lastOutcome.map { ", last \($0.kind) after \((record.lastDuration ?? .zero).milliseconds) ms" } ?? ""
        let running: RecordText = status.stillRunning > 0 ? ", \(status.stillRunning) still running" : ""
        var fields = fields(of: notification)
        fields.add(status.name, record.lastOutcome ?? .completed, record.lastDuration ?? .zero)
        fields.add("BELFRY_CALLS", Int64(record.calls))
        fields.add("BELFRY_FAILURES", Int64(record.failures))
        return JournalRecord(
            .info, "listener '\(status.name)': \(record.calls) calls, \(record.failures) failures\(last)\(running)",
            id: MessageID.listenerStatus.rawValue, fields: fields)
    }

    /// The record that says that a listener follows one that is not there.
    static func record(ofUnknown name: String, followedBy listener: String) -> JournalRecord {
        JournalRecord(
            .warning, "listener '\(listener)' follows '\(name)', which is not there, ignoring",
            id: MessageID.unknownFollowed.rawValue,
            fields: ["BELFRY_ORIGIN": LifecycleOrigin.service.kind, "BELFRY_LISTENER": listener])
    }

    /// The record of the health that a listener reports.
    static func record(of health: ListenerHealth, of listener: String) -> JournalRecord {
        let (priority, text): (LogPriority, RecordText) =
            switch health {
            case .healthy: (.notice, "is healthy again")
            case .unknown(let reason): (.info, "is not known to be healthy: \(reason)")
            case .degraded(let reason): (.warning, "is degraded: \(reason)")
            case .unhealthy(let reason): (.warning, "is unhealthy, sending no watchdog keep-alive: \(reason)")
            case .lost(let reason): (.critical, "is lost, triggering the watchdog: \(reason)")
            }
        var fields: JournalFields = [
            "BELFRY_ORIGIN": LifecycleOrigin.service.kind, "BELFRY_LISTENER": listener, "BELFRY_HEALTH": health.kind,
        ]
        if let reason = health.reason { fields.add("BELFRY_REASON", reason) }
        return JournalRecord(
            priority, "listener '\(listener)' \(text)", id: MessageID.listenerHealth.rawValue, fields: fields)
    }

    /// The fields of every record about a notification.
    package static func fields(of notification: LifecycleNotification) -> JournalFields {
        var fields = JournalFields()
        fields.reserve(512)
        fields.add("BELFRY_NOTIFICATION", notification.name.rawValue)
        fields.add("BELFRY_SEQUENCE", notification.sequence)
        fields.add("BELFRY_STATE", notification.state.rawValue)
        fields.add("BELFRY_PREVIOUS_STATE", notification.previousState.rawValue)
        fields.add("BELFRY_ORIGIN", notification.origin.kind)
        if let trigger = notification.trigger { fields.add("BELFRY_TRIGGER", trigger.rawValue) }
        fields.add("BELFRY_REALTIME_USEC", notification.time.realtimeUsec)
        fields.add("BELFRY_MONOTONIC_USEC", notification.time.monotonicUsec)
        if notification.name == .willFinishLaunching, case .string(let cause) = notification.userInfo["cause"] {
            fields.add("BELFRY_LAUNCH_CAUSE", cause)
        }
        fields.add(notification.origin)
        return fields
    }
}

nonisolated extension JournalFields {
    /// Adds the fields that say who it was.
    package mutating func add(_ origin: LifecycleOrigin) {
        switch origin {
        case .service: break
        case .signal(let signal):
            add("BELFRY_SIGNAL", signal.name)
            add("BELFRY_SIGNAL_VALUE", Int64(signal.value))
            if signal.sender != .process { add("BELFRY_SIGNAL_SENDER", signal.sender.rawValue) }
            addSender(signal.pid, signal.uid, signal.loginUID, signal.unit, signal.command)
        case .peer(let peer): addSender(peer.pid, peer.uid, peer.loginUID, peer.unit, peer.command)
        }
    }

    fileprivate mutating func addSender(
        _ pid: Int32, _ uid: UInt32, _ loginUID: UInt32?, _ unit: String?, _ command: String?
    ) {
        add("BELFRY_SENDER_PID", Int64(pid))
        add("BELFRY_SENDER_UID", UInt64(uid))
        if let loginUID { add("BELFRY_SENDER_LOGINUID", UInt64(loginUID)) }
        if let unit { add("BELFRY_SENDER_UNIT", unit) }
        if let command { add("BELFRY_SENDER_COMMAND", command) }
    }

    fileprivate mutating func add(_ listener: String, _ outcome: ListenerOutcome, _ duration: Duration) {
        add("BELFRY_LISTENER", listener)
        add("BELFRY_OUTCOME", outcome.kind)
        add("BELFRY_DURATION_USEC", duration.wholeMicroseconds)
    }
}

nonisolated extension LifecycleNotification {
    /// The user info as JSON; nil if there is none.
    var userInfoText: String? { userInfo.isEmpty ? nil : JSONValue.object(userInfo).description }

    /// What the record says beyond name, states and origin, beginning with a comma; empty if there is nothing.
    ///
    /// - Parameters:
    ///   - info: `userInfoText`.
    ///   - isInVain: whether no listener answers it.
    func details(_ info: String?, isInVain: Bool) -> RecordText {
        if case .text(let text) = journalEntry { return ", \(text)" }
        let details = standardDetails(info, isInVain: isInVain)
        return isSimulated ? "\(details), simulated" : details
    }

    private func standardDetails(_ info: String?, isInVain: Bool) -> RecordText {
        switch name {
        case .willFinishLaunching: LaunchOptions(userInfo: userInfo).map(Self.details) ?? ""
        case .didResume: (Suspension(userInfo: userInfo).map(Self.details) ?? "") + deliveries
        case .willReload: (isDryRun ? ", dry run" as RecordText : "") + deliveries
        case .willTerminate:
            (userInfo.text("reason").map { ", reason \($0)" } ?? "")
                + (userInfo.text("worker").map { ", worker \($0)" } ?? "")
        case .performAction:
            (userInfo.text("action").map { ", \($0)" } ?? "")
                + (isInVain ? ", which no listener offers" : "") as RecordText
        case .didEnterBackground, .didBecomeActive:
            (userInfo.text("reason").map { ", reason \($0)" } ?? "") + deliveries
        case .didFailToReload:
            ", the old configuration stays"
                + (userInfo["accepted"] == true ? ", not every listener has applied the new one" : "") as RecordText
        case .didReceiveMemoryWarning: userInfo.text("level").map { ", level \($0)" } ?? ""
        case .significantTimeChange: TimeChange(userInfo: userInfo).map(Self.details) ?? ""
        case .protectedDataDidBecomeAvailable, .protectedDataWillBecomeUnavailable:
            userInfo.text("path").map { ", \($0)" } ?? ""
        default:
            if case .signal = origin { deliveries } else { trigger == nil ? info.map { ", \($0)" } ?? "" : "" }
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
        case .day: return ", a new day"
        case .timeZone(let from, let to):
            return ", time zone \(from ?? "without a name") -> \(to ?? "without a name")"
        }
    }
}

extension Duration {
    /// Whole milliseconds, for texts.
    package nonisolated var milliseconds: Int64 { signedMicroseconds / 1000 }
}
