// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryJSON

/// What this host says of itself, from what its service says.
nonisolated struct HostPresence: Sendable, Equatable {
    /// The state of the service; `stopped` after `willTerminate`.
    private(set) var state = HostReport.State.notRunning
    private(set) var sinceUsec: Int64
    private(set) var bootID: String?
    private(set) var sequence: Int64?
    private var version: String?

    /// Before anything is known of the service.
    init(now: Int64) { sinceUsec = now }

    /// The service's state, at the beginning and after each new connection to it.
    ///
    /// - Returns: whether the report changes.
    mutating func receive(state object: JSONObject, now: Int64) -> Bool {
        let before = self
        bootID = object["bootId"]?.stringValue
        sequence = object["sequence"]?.intValue
        version = object["version"]?.stringValue
        change(to: object["state"]?.stringValue, now: now)
        return self != before
    }

    /// A notification of the service.
    ///
    /// - Returns: whether its state changes.
    mutating func receive(notification: JSONObject, now: Int64) -> Bool {
        let before = state
        sequence = notification["sequence"]?.intValue ?? sequence
        bootID = notification["bootId"]?.stringValue ?? bootID
        let time = notification["realtimeUsec"]?.intValue ?? now
        if notification["name"]?.stringValue?.hasSameBytes(as: "willTerminate") ?? false {
            change(to: .stopped, now: time)
        } else {
            change(to: notification["state"]?.stringValue, now: time)
        }
        return state != before
    }

    /// The connection to the service ended.
    ///
    /// - Returns: whether its state changes.
    mutating func serviceEnded(now: Int64) -> Bool {
        guard state != .stopped, state != .notRunning else { return false }
        change(to: .notRunning, now: now)
        return true
    }

    private mutating func change(to word: String?, now: Int64) {
        // What a later version may say is a state that others must not count on.
        change(to: word.flatMap(HostReport.State.init(bytes:)) ?? .notRunning, now: now)
    }

    private mutating func change(to new: HostReport.State, now: Int64) {
        guard new != state else { return }
        state = new
        sinceUsec = now
    }

    /// The report of a connection to the broker, which holds until three renewals are missing.
    func report(session: String, now: Int64, renewalUsec: Int64) -> HostReport {
        var report = last(state, session: session, now: now)
        report.validUntilUsec = now.adding(renewalUsec.multipliedReportingOverflow(by: 3).partialValue)
        return report
    }

    /// The last report before the host leaves in order.
    func last(_ state: HostReport.State, session: String, now: Int64) -> HostReport {
        var report = HostReport(state: state, session: session)
        report.timeUsec = now
        report.sinceUsec = state == self.state ? sinceUsec : now
        report.bootID = bootID
        report.sequence = sequence
        report.version = version
        return report
    }
}
