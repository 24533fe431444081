// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// Where a service is, on a page.
package enum StatusText {
    /// The lines of `status`, from the replies of `GetState` and, as far as there are any, `ListListeners` and
    /// `ListHolds`.
    ///
    /// - Parameter now: CLOCK_REALTIME in microseconds.
    package static func lines(
        _ state: JSONObject, listeners: JSONObject?, holds: JSONObject? = nil, now: Int64, _ style: TextStyle
    ) -> [String] {
        let name = "\(state.textOrDash("service")) \(state.textOrDash("version"))"
        var facts: [(String, String)] = []
        if let uptime = state.number("uptimeUsec") {
            let since = WallClockText.dateAndTime(now.subtracting(uptime))
            facts.append(("Since", "\(since); \(DurationText.text(microseconds: uptime)) ago"))
        }
        if let launch = state["launch"]?.objectValue { facts.append(("Launch", LaunchText.text(launch))) }
        let word = state["lastWord"]?.objectValue.map { LastWordText.lines($0) } ?? []
        for (position, line) in word.enumerated() { facts.append((position == 0 ? "Last word" : "", line)) }
        facts.append(("PID", state.numberOrDash("pid")))
        facts.append(("Sequence", state.numberOrDash("sequence")))
        facts.append(("Subscribers", state.numberOrDash("subscribers")))
        if let invocation = state.text("invocationId") { facts.append(("Invocation", invocation)) }
        facts.append(("Boot", state.textOrDash("bootId")))
        for (position, hold) in (holds?.objects("holds") ?? []).enumerated() {
            let limit = hold.number("remainingUsec").map { ", \(DurationText.text(microseconds: $0)) left" } ?? ""
            let text = "\(hold.textOrDash("reason")) (pid \(hold.numberOrDash("pid"))\(limit))"
            facts.append((position == 0 ? "Held for" : "", text))
        }
        let summary = listeners.map { ListenerTable.summary($0, style) } ?? []
        for (position, line) in summary.enumerated() { facts.append((position == 0 ? "Listeners" : "", line)) }
        return ["\(style.bold(name)) is \(style.state(state.textOrDash("state")))"]
            + facts.map { heading, text in
                let space = String(repeating: " ", count: 13 - heading.count)
                return space + (heading.isEmpty ? "  " : "\(heading): ") + text
            }
    }
}
