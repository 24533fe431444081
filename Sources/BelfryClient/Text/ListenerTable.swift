// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// The listeners of a service and how they do.
package nonisolated enum ListenerTable {
    /// A heading and a row for each, from the reply of `ListListeners`; those that failed last are marked.
    package static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        var table = TextTable([
            ("ORDER", .right), ("NAME", .left), ("DEADLINE", .right), ("HEALTH", .left), ("CALLS", .right),
            ("FAILURES", .right),
            ("LAST", .left), ("LONGEST", .right), ("INTERESTS", .left),
        ])
        for listener in reply.objects("listeners") {
            let last = [listener.text("lastOutcome"), listener.number("lastDurationUsec").map(DurationText.text)]
            table.add(
                [
                    listener.numberOrDash("order"), listener.textOrDash("name"), listener.lengthOrDash("deadlineUsec"),
                    listener.textOrDash("health"),
                    listener.numberOrDash("calls"), listener.numberOrDash("failures"),
                    last.compactMap(\.self).isEmpty ? "-" : last.compactMap(\.self).joined(separator: ", "),
                    listener.lengthOrDash("longestDurationUsec"), listener.list("interests"),
                ], isAlarming: hasFailed(listener) || isTroubled(listener))
        }
        return table.lines(style)
    }

    /// One line for each: the name, how often it was called, and what went wrong.
    package static func summary(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        let listeners = reply.objects("listeners")
        let width = TextTable.width(listeners.lazy.map { $0.textOrDash("name") })
        return listeners.map { listener in
            let line = "\(listener.textOrDash("name").padded(width))  \(count(listener, "calls", "call"))"
            let failures = listener.number("failures") ?? 0
            guard failures > 0 else { return line }
            let last = hasFailed(listener) ? ", the last one \(listener.textOrDash("lastOutcome"))" : ""
            return style.alarming("\(line), \(count(listener, "failures", "failure"))\(last)")
        }
    }

    private static func isTroubled(_ listener: JSONObject) -> Bool {
        ["unhealthy", "lost"].contains(listener.text("health"))
    }

    private static func hasFailed(_ listener: JSONObject) -> Bool {
        ["failed", "overran", "late"].contains(listener.text("lastOutcome"))
    }

    private static func count(_ listener: JSONObject, _ key: String, _ noun: String) -> String {
        "\(listener.numberOrDash(key)) \(noun)\(listener.number(key) == 1 ? "" : "s")"
    }
}
