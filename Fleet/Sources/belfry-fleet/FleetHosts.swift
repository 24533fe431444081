// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryCommandLine
import Glibc
import Varlink

/// The hosts of a fleet, as `List` of `io.belfry.Fleet` has them.
struct FleetHosts {
    /// The hosts that match.
    let hosts: [JSONObject]
    /// Whether belfry-fleetd is connected to the broker.
    let areCurrent: Bool
    /// The width of a column with their names.
    let width: Int

    /// The hosts of a reply that match a pattern.
    init(_ reply: JSONObject, matching pattern: String? = nil) {
        hosts = reply.objects("hosts").filter { Self.matches($0["name"]?.stringValue ?? "", pattern) }
        areCurrent = reply["isCurrent"]?.boolValue ?? false
        width = TextTable.width(hosts.lazy.map { $0.textOrDash("name") })
    }

    /// The reply with these hosts only.
    var reply: JSONObject { ["hosts": .array(hosts.map { .object($0) }), "isCurrent": .bool(areCurrent)] }

    /// A heading and a row for each host; a host that is dead or unknown is marked.
    func lines(_ style: TextStyle) -> [String] {
        var table = TextTable([
            ("HOST", .left), ("STATE", .left), ("SINCE", .left), ("VERSION", .left), ("AGE", .right),
        ])
        for host in hosts {
            table.add(
                [
                    host.textOrDash("name"), host.textOrDash("state"), Self.since(host) ?? "-",
                    host.textOrDash("version"),
                    host.durationOrDash("ageUsec"),
                ], isAlarming: Self.isLost(host))
        }
        return table.lines(style)
    }

    /// The line of one host: name, state, since when, version, age.
    static func line(_ host: JSONObject, _ style: TextStyle) -> String {
        let state = host.textOrDash("state")
        let facts = [
            "\(host.textOrDash("name")) is \(isLost(host) ? style.alarming(state) : style.state(state))",
            since(host).map { "since \($0)" }, host.text("version").map { "version \($0)" },
            host.number("ageUsec").map { "last heard of \(DurationText.text(microseconds: $0)) ago" },
        ]
        return facts.compactMap(\.self).joined(separator: ", ")
    }

    /// Whether a name matches a pattern of glob(7); every name matches nil.
    private static func matches(_ name: String, _ pattern: String?) -> Bool {
        pattern.map { fnmatch($0, name, 0) == 0 } ?? true
    }

    private static func isLost(_ host: JSONObject) -> Bool { ["dead", "unknown"].contains(host.text("state")) }

    private static func since(_ host: JSONObject) -> String? {
        host.number("sinceUsec").map { WallClockText.dateAndTime($0) }
    }
}
