// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// What an operator sees of a fleet: the state of each host, and which of its notifications are new.
///
/// A host is unknown while there is no connection to the broker, until it is heard of in the present connection, and when its
/// report does not hold any more. Times are microseconds of Unix time, since hosts say until when their reports hold.
nonisolated struct FleetView: Sendable {
    /// Hosts beyond this number are ignored.
    static let hostsMax = 100_000
    /// How many hosts are asked for missing notifications at a time.
    static let questionsMax = 16

    /// What a report of a host changes.
    struct Change: Sendable, Equatable {
        /// Whether the host has a new connection to the broker, or was heard of for the first time in ours.
        var isBirth = false
        /// Whether operators see something else than before.
        var isVisible = false
    }

    /// Notifications that a host is to be asked for.
    struct Gap: Sendable, Equatable {
        let host: String
        let bootID: String
        let after: Int64
    }

    private let hostsMax: Int
    /// In no order. Names are ASCII, so that comparing them is cheap.
    private var hosts: [HostRecord] = []
    private var places: [String: Int] = [:]
    private var sortedNames: [String]?
    /// The number of the connection to the broker.
    private var connection = 0
    /// Whether there is a connection to the broker.
    private(set) var isCurrent = false
    private var isFollowing = false
    private var questions = 0
    /// Messages that were no valid reports or notifications.
    private(set) var invalidMessages = 0
    /// Reports of hosts beyond the limit.
    private(set) var excessReports = 0

    init(hostsMax: Int = FleetView.hostsMax) { self.hostsMax = hostsMax }

    /// There is a connection to the broker.
    mutating func brokerConnected() { isCurrent = true }

    /// The connection to the broker ended: every host is unknown.
    mutating func brokerLost() {
        guard isCurrent else { return }
        isCurrent = false
        connection += 1
        for place in hosts.indices { _ = hosts[place].show(nil) }
    }

    private var currentConnection: Int? { isCurrent ? connection : nil }

    // Reports

    /// Receives what the topic `state` of a host has.
    ///
    /// - Returns: what it changes; nil for what is ignored.
    mutating func receive(state payload: [UInt8], of name: String, isRetained: Bool, now: Int64) -> Change? {
        if payload.isEmpty { return remove(name, now) }
        guard let report = HostReport(payload), report.isComplete else {
            invalidMessages += 1
            return nil
        }
        guard let place = places[name] else { return add(name, report, now) }
        let before = hosts[place].identity
        guard
            let isBirth = hosts[place].receive(
                report, isRetained: isRetained, in: connection, isFollowing: isFollowing, now: now)
        else { return nil }
        let isOther = hosts[place].show(hosts[place].state(in: currentConnection, now: now))
        return Change(isBirth: isBirth, isVisible: isOther || hosts[place].identity != before)
    }

    private mutating func add(_ name: String, _ report: HostReport, _ now: Int64) -> Change? {
        guard hosts.count < hostsMax else {
            excessReports += 1
            return nil
        }
        var host = HostRecord(name, report, in: connection, now: now)
        if isFollowing { host.beginNotifications(after: report.sequence) }
        _ = host.show(host.state(in: currentConnection, now: now))
        places[name] = hosts.count
        hosts.append(host)
        sortedNames = nil
        return Change(isBirth: report.state != .dead, isVisible: true)
    }

    /// The state was deleted at the broker: an operator removes a host that is gone. A host that is not gone publishes it again.
    private mutating func remove(_ name: String, _ now: Int64) -> Change? {
        guard let place = places[name] else { return nil }
        if hosts[place].state(in: currentConnection, now: now)?.isConnected ?? false { return nil }
        places[name] = nil
        let last = hosts.removeLast()
        if place < hosts.count {
            hosts[place] = last
            places[last.name] = place
        }
        sortedNames = nil
        return Change(isVisible: true)
    }

    // Notifications

    /// Notifications are received from now on, or no more. The first that a host has from now on is its first new one.
    mutating func follow(_ isFollowing: Bool) {
        self.isFollowing = isFollowing
        for place in hosts.indices { hosts[place].beginNotifications() }
    }

    /// Whether a notification of a host is new, and follows the one before it. What is received twice is not new. One after a gap
    /// is not either: it comes again when the host is asked for the gap.
    mutating func receive(_ notification: JSONObject, of name: String) -> Bool {
        guard isFollowing, let place = places[name] else { return false }
        guard let number = notification["sequence"]?.intValue, number > 0,
            let bootID = notification["bootId"]?.stringValue
        else {
            invalidMessages += 1
            return false
        }
        return hosts[place].receive(notification: number, bootID: bootID)
    }

    /// A host has answered what it was asked for, or has not in time.
    ///
    /// - Returns: what will not come.
    mutating func endQuestion(to name: String, _ answer: NotificationTrack.Answer) -> NotificationTrack.Missing? {
        questions -= 1
        guard let place = places[name] else { return nil }
        return hosts[place].endQuestion(answer)
    }

    // Time

    /// To be called each second.
    ///
    /// - Returns: the hosts whose reports do not hold any more, and those that are to be asked for notifications. `endQuestion`
    ///   must be called for each of these.
    mutating func sweep(now: Int64) -> (changed: [String], gaps: [Gap]) {
        var changed: [String] = []
        var gaps: [Gap] = []
        for place in hosts.indices {
            let state = hosts[place].state(in: currentConnection, now: now)
            if hosts[place].show(state) { changed.append(hosts[place].name) }
            guard isFollowing, state?.isConnected ?? false, questions < Self.questionsMax,
                let (bootID, after) = hosts[place].nextQuestion()
            else { continue }
            questions += 1
            gaps.append(Gap(host: hosts[place].name, bootID: bootID, after: after))
        }
        return (changed, gaps)
    }

    // Queries

    /// The names of all hosts, in order.
    mutating func names() -> [String] {
        if let sortedNames { return sortedNames }
        let names = hosts.map(\.name).sorted()
        sortedNames = names
        return names
    }

    /// A host; nil if there is none of this name.
    func status(of name: String, now: Int64) -> HostStatus? {
        places[name].map { hosts[$0].status(in: currentConnection, now: now) }
    }
}

nonisolated extension HostReport {
    /// Whether it says how long it holds, as far as it has to.
    fileprivate var isComplete: Bool { validUntilUsec != nil || !state.isConnected }
}
