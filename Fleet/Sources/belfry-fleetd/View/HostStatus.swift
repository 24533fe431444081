// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// What an operator sees of a host.
nonisolated struct HostStatus: Sendable, Equatable {
    let name: String
    /// Nil if it is unknown: there is no connection to the broker, or the host's last report does not hold any more.
    let state: HostReport.State?
    /// Since when, in microseconds of Unix time, if the state is known.
    let sinceUsec: Int64?
    /// How long ago the last report was, if the state is unknown.
    let ageUsec: Int64?
    let version: String?
    let bootID: String?
    /// The number of its last notification.
    let sequence: Int64?

    /// The type `Host` of `io.belfry.Fleet`.
    var object: JSONObject {
        var object: JSONObject = ["name": .string(name), "state": .string(state?.rawValue ?? "unknown")]
        object["sinceUsec"] = sinceUsec.map { .int($0) }
        object["ageUsec"] = ageUsec.map { .int($0) }
        object["version"] = version.map { .string($0) }
        object["bootId"] = bootID.map { .string($0) }
        object["sequence"] = sequence.map { .int($0) }
        return object
    }
}

nonisolated extension HostReport.State {
    /// Whether the host is connected to the broker in this state, and can be sent commands.
    var isConnected: Bool {
        switch self {
        case .dead, .stopped, .asleep: false
        case .notRunning, .inactive, .active, .background, .suspended: true
        }
    }
}
