// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Who ended or paused the service, and why. It is written before the process ends, and the next launch reads it.
public nonisolated struct ExitRecord: Sendable, Equatable {
    /// What became of the service.
    public enum Kind: String, Sendable, CaseIterable {
        /// It was paused.
        case paused
        /// A stop was under way. If this is the last record of a run, the stop did not end in order.
        case stopping
        /// It ended in order.
        case stopped
    }

    /// How long one listener took, over all notifications, and what it did.
    public struct ListenerTime: Sendable, Equatable {
        /// The listener's name.
        public var listener: String
        /// The word for its worst outcome. A missed deadline (`overran` or `late`) is worse than a failure.
        public var outcome: String
        /// How long it took.
        public var duration: Duration
        /// What it did, in its own words (`ListenerWork`).
        public var work: String?

        /// Whether it missed its deadline.
        var isLate: Bool {
            [ListenerOutcome.overran.kind, ListenerOutcome.late.kind].contains { $0.utf8.elementsEqual(outcome.utf8) }
        }
    }

    /// How many listeners are named at most: those that missed their deadlines, and those that took longest.
    static let listenersMax = 64

    /// What became of the service.
    public var kind: Kind
    /// Why it ended; nil for a pause, and while this is not known.
    public var reason: Termination.Reason?
    /// Why it was paused, in the words of the one who asked for it; nil if they gave no reason.
    public var pauseReason: String?
    /// Who paused or stopped it.
    public var origin: LifecycleOrigin
    /// Who sent a second stop, if anybody did.
    public var cutShortBy: LifecycleOrigin?
    /// The error, after a refused launch or a failure.
    public var problem: String?
    /// When it was written: the time since 1970 (`CLOCK_REALTIME`).
    public var realtime: Duration
    /// The exit status of the process; nil for a process that did not end.
    public var exitStatus: Int32?
    /// How long each listener took, in the order of their first calls.
    public var listeners: [ListenerTime] = []

    /// A record without times.
    package init(_ kind: Kind, by origin: LifecycleOrigin, realtime: Duration) {
        self.kind = kind
        self.origin = origin
        self.realtime = realtime
    }

    /// The record of a transition that has ended.
    package init(_ kind: Kind, _ report: TransitionReport, realtime: Duration, exitStatus: Int32? = nil) {
        self.init(kind, by: report.origin, realtime: realtime)
        self.exitStatus = exitStatus
        cutShortBy = report.cutShortBy
        if kind == .paused { pauseReason = report.reason }
        if let last = report.notifications.last?.notification, last.name == .willTerminate { setReason(from: last) }
        if case .refused(let reasons) = report.result { problem = reasons.joined(separator: "; ") }
        listeners = Self.times(of: report.notifications)
    }

    /// Sets the reason, and the error of a failure, from `willTerminate`.
    package mutating func setReason(from notification: LifecycleNotification) {
        reason = notification.userInfo.text("reason").flatMap { Termination.Reason(rawValue: $0) }
        problem = notification.userInfo.text("error") ?? problem
    }

    /// The times of the listeners over several notifications, of a bounded number of them.
    private static func times(of reports: [LifecycleReport]) -> [ListenerTime] {
        var times: [ListenerTime] = []
        for report in reports.flatMap(\.listeners) {
            if let index = times.firstIndex(where: { $0.listener == report.listener }) {
                times[index].duration += report.duration
                if let work = report.work?.text {
                    times[index].work = times[index].work.map { "\($0); \(work)" } ?? work
                }
                if report.outcome.isLate || (report.outcome.isProblem && !times[index].isLate) {
                    times[index].outcome = report.outcome.kind
                }
            } else {
                times.append(
                    ListenerTime(
                        listener: report.listener, outcome: report.outcome.kind, duration: report.duration,
                        work: report.work?.text))
            }
        }
        guard times.count > listenersMax else { return times }
        let first = times.indices.sorted {
            (times[$0].isLate ? 1 : 0, times[$0].duration) > (times[$1].isLate ? 1 : 0, times[$1].duration)
        }
        return Array(first.prefix(listenersMax)).sorted().map { times[$0] }
    }
}

/// An exit record as JSON.
nonisolated extension ExitRecord {
    /// How long a text that came from elsewhere may be.
    fileprivate static let textMax = 512

    /// Decodes `userInfo`; nil if a required value is missing.
    package init?(userInfo: UserInfo) {
        guard let kind = userInfo.text("kind").flatMap({ Kind(rawValue: $0) }),
            let origin = userInfo.object("origin").flatMap({ LifecycleOrigin(userInfo: $0) }),
            let realtime = userInfo.duration("realtimeUsec")
        else { return nil }
        self.init(kind, by: origin, realtime: realtime)
        reason = userInfo.text("reason").flatMap { Termination.Reason(rawValue: $0) }
        pauseReason = userInfo.text("pauseReason")
        cutShortBy = userInfo.object("cutShortBy").flatMap { LifecycleOrigin(userInfo: $0) }
        problem = userInfo.text("problem")
        exitStatus = userInfo.number("exitStatus")
        let times = userInfo["listeners"]?.arrayValue?.prefix(Self.listenersMax) ?? []
        listeners = times.compactMap { $0.objectValue.flatMap { ListenerTime(userInfo: $0) } }
    }

    /// All known values.
    package var userInfo: UserInfo {
        var info: UserInfo = [
            "kind": .string(kind.rawValue), "origin": .object(origin.userInfo),
            "realtimeUsec": .int(realtime.signedMicroseconds),
        ]
        info["reason"] = reason.map { .string($0.rawValue) }
        info["pauseReason"] = pauseReason.map { .string(String($0.prefix(Self.textMax))) }
        info["cutShortBy"] = cutShortBy.map { .object($0.userInfo) }
        info["problem"] = problem.map { .string(String($0.prefix(Self.textMax))) }
        info["exitStatus"] = exitStatus.map { .int(Int64($0)) }
        if !listeners.isEmpty { info["listeners"] = .array(listeners.map { .object($0.userInfo) }) }
        return info
    }
}

nonisolated extension ExitRecord.ListenerTime {
    init?(userInfo: UserInfo) {
        guard let listener = userInfo.text("listener"), let outcome = userInfo.text("outcome"),
            let duration = userInfo.duration("durationUsec")
        else { return nil }
        self.init(listener: listener, outcome: outcome, duration: duration, work: userInfo.text("work"))
    }

    var userInfo: UserInfo {
        var info: UserInfo = [
            "listener": .string(listener), "outcome": .string(outcome),
            "durationUsec": .int(duration.signedMicroseconds),
        ]
        info["work"] = work.map { .string(String($0.prefix(ExitRecord.textMax))) }
        return info
    }
}
