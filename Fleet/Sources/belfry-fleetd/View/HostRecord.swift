// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryJSON

/// What is kept of a host: less than 1 KB.
nonisolated struct HostRecord: Sendable {
    /// How many boots that are over a host is asked about.
    static let earlierMax = 4

    let name: String
    private var report: HostReport
    /// When the last report was made that was no will.
    private var heardUsec: Int64?
    /// The connection to the broker in which the last report came.
    private var connection: Int
    /// The state that was last shown.
    private(set) var shown: HostReport.State?
    /// Those of the present boot. They are held back until those of the boots before have come.
    private var notifications = NotificationTrack()
    private var earlier: [(bootID: String, notifications: NotificationTrack)] = []

    /// The host of a first report.
    init(_ name: String, _ report: HostReport, in connection: Int, now: Int64) {
        self.name = name
        self.report = report
        self.connection = connection
        heardUsec = report.state == .dead ? nil : min(report.timeUsec ?? now, now)
    }

    /// Receives a report.
    ///
    /// - Returns: whether it begins a session with the host; nil for a will that came too late, and for a retained report that is
    ///   older than the last one: a broker that was killed had not stored that one. The host sends its next.
    mutating func receive(
        _ new: HostReport, isRetained: Bool, in connection: Int, isFollowing: Bool, now: Int64
    ) -> Bool? {
        if isRetained, let made = new.timeUsec, let heardUsec, made < heardUsec { return nil }
        let isFirst = connection != self.connection
        let isSameSession = new.session == report.session
        let isDead = new.state == .dead
        if isDead, !isFirst, !isSameSession { return nil }
        let old = report
        report = new
        report.bootID = new.bootID ?? old.bootID
        report.version = new.version ?? old.version
        report.sequence = new.sequence ?? old.sequence
        self.connection = connection
        if isDead {
            // It may have happened at any time while there was no connection.
            report.sinceUsec = old.state == .dead && isSameSession ? old.sinceUsec : isFirst ? nil : now
            return false
        }
        heardUsec = min(new.timeUsec ?? now, now)
        let isBirth = isFirst || !isSameSession
        if isFollowing {
            // What it had while it was away is owed to those who have followed it since its last report.
            if isBirth, let known = old.sequence { notifications.hear(of: known) }
            if report.bootID != old.bootID {
                if let ended = notifications.restart(), let bootID = old.bootID { earlier.append((bootID, ended)) }
                earlier = earlier.suffix(Self.earlierMax)
            }
            if let sequence = new.sequence { notifications.hear(of: sequence) }
        }
        return isBirth
    }

    // Notifications

    /// Notifications are received from now on.
    mutating func beginNotifications(after known: Int64? = nil) {
        notifications = NotificationTrack()
        earlier = []
        if let known { notifications.hear(of: known) }
    }

    /// Whether a notification is the next one.
    mutating func receive(notification number: Int64, bootID: String) -> Bool {
        if let boot = earlier.first?.bootID, bootID.hasSameBytes(as: boot) {
            return earlier[0].notifications.receive(number)
        }
        guard let boot = report.bootID, bootID.hasSameBytes(as: boot) else { return false }
        guard earlier.isEmpty else {
            notifications.hear(of: number)
            return false
        }
        return notifications.receive(number)
    }

    /// The notifications that are missing and are to be asked for.
    mutating func nextQuestion() -> (bootID: String, after: Int64)? {
        if let bootID = earlier.first?.bootID { return earlier[0].notifications.nextQuestion().map { (bootID, $0) } }
        guard let bootID = report.bootID else { return nil }
        return notifications.nextQuestion().map { (bootID, $0) }
    }

    /// The host has answered the question, or has not in time.
    ///
    /// - Returns: what will not come.
    mutating func endQuestion(_ answer: NotificationTrack.Answer) -> NotificationTrack.Missing? {
        if earlier.isEmpty { return notifications.endQuestion(answer) }
        let missing = earlier[0].notifications.endQuestion(answer)
        if earlier[0].notifications.isComplete { earlier.removeFirst() }
        return missing
    }

    /// What stays the same from one report to the next as long as nothing happens to the host.
    struct Identity: Equatable {
        let state: HostReport.State
        let session: String
        let bootID: String?
        let sinceUsec: Int64?
    }

    var identity: Identity {
        Identity(state: report.state, session: report.session, bootID: report.bootID, sinceUsec: report.sinceUsec)
    }

    /// Its state if reports of this connection to the broker count.
    func state(in connection: Int?, now: Int64) -> HostReport.State? {
        guard self.connection == connection else { return nil }
        if let end = report.validUntilUsec, end <= now { return nil }
        return report.state
    }

    /// Notes which state is shown.
    ///
    /// - Returns: whether it is another one than before.
    mutating func show(_ state: HostReport.State?) -> Bool {
        defer { shown = state }
        return state != shown
    }

    func status(in connection: Int?, now: Int64) -> HostStatus {
        let state = state(in: connection, now: now)
        return HostStatus(
            name: name, state: state, sinceUsec: state == nil ? nil : report.sinceUsec,
            ageUsec: state == nil ? heardUsec.map { max(0, now.subtracting($0)) } : nil, version: report.version,
            bootID: report.bootID, sequence: report.sequence.map { max($0, notifications.newest) })
    }
}
