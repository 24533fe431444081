// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// What a host says of itself: the retained message of its topic `state`.
nonisolated struct HostReport: Sendable, Equatable {
    enum State: String, Sendable, CaseIterable {
        // The states of its service.
        case notRunning, inactive, active, background, suspended
        /// The service, or the connection to the broker, was stopped in order.
        case stopped
        /// The machine sleeps.
        case asleep
        /// The connection broke: the last will.
        case dead
    }

    var state: State
    /// The connection to the broker that the report belongs to, random. The will of a connection has the same, so
    /// that one which comes late is recognised.
    var session: String
    /// When it was made, and how long it holds, in microseconds of Unix time. Without an end for `stopped` and `asleep`. The
    /// will has neither.
    var timeUsec: Int64?
    var validUntilUsec: Int64?
    /// Since when the service is in this state.
    var sinceUsec: Int64?
    /// The boot of the host, and the number of the last notification of its service.
    var bootID: String?
    var sequence: Int64?
    /// The version of the service.
    var version: String?

    /// The last will of a connection.
    static func will(session: String) -> HostReport { HostReport(state: .dead, session: session) }

    init(state: State, session: String) {
        self.state = state
        self.session = session
    }

    /// - Returns: nil for what is no report.
    init?(_ payload: [UInt8]) {
        guard let object = try? JSONValue(json: payload).objectValue,
            let state = object["state"]?.stringValue.flatMap(State.init(bytes:)),
            let session = object["session"]?.stringValue,
            FleetName.isValid(session)
        else { return nil }
        self.init(state: state, session: session)
        timeUsec = object["timeUsec"]?.intValue
        validUntilUsec = object["validUntilUsec"]?.intValue
        sinceUsec = object["sinceUsec"]?.intValue
        bootID = object["bootId"]?.stringValue.flatMap { FleetName.isValid($0) ? $0 : nil }
        sequence = object["sequence"]?.intValue.flatMap { $0 >= 0 ? $0 : nil }
        version = object["version"]?.stringValue.flatMap { FleetName.isValid($0) ? $0 : nil }
    }

    var payload: [UInt8] {
        var object: JSONObject = ["state": .string(state.rawValue), "session": .string(session)]
        object["timeUsec"] = timeUsec.map { .int($0) }
        object["validUntilUsec"] = validUntilUsec.map { .int($0) }
        object["sinceUsec"] = sinceUsec.map { .int($0) }
        object["bootId"] = bootID.map { .string($0) }
        object["sequence"] = sequence.map { .int($0) }
        object["version"] = version.map { .string($0) }
        return JSONValue.object(object).json
    }
}
