// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// A transition as bars: a line for each notification and for each listener that was told of it.
package nonisolated enum TimelinePlot {
    private static let width = 40

    /// The lines of a timeline, `{"trigger":…,"realtimeUsec":…,"durationUsec":…,"steps":[…]}`.
    package static func lines(_ timeline: JSONObject, _ style: TextStyle) -> [String] {
        let steps = timeline.objects("steps")
        let start = steps.first?.number("startUsec") ?? 0
        let whole = max(timeline.number("durationUsec") ?? 0, 1)
        let names = TextTable.width(steps.lazy.flatMap { $0.objects("listeners") }.map { $0.textOrDash("listener") })
        // Listeners stand two spaces further right.
        let column = max(names, TextTable.width(steps.lazy.map { $0.textOrDash("notification") }) - 2)
        let title = "\(timeline.textOrDash("trigger")) took \(timeline.lengthOrDash("durationUsec"))"
        var lines = [style.bold(title) + ", ended \(WallClockText.dateAndTime(timeline.number("realtimeUsec") ?? 0))"]
        for step in steps {
            lines.append(style.notification(step.textOrDash("notification")))
            for call in step.objects("listeners") {
                let begin = (call.number("startUsec") ?? start).subtracting(start)
                let duration = call.number("durationUsec") ?? 0
                let outcome = call.textOrDash("outcome")
                let name = call.textOrDash("listener").padded(column)
                let line =
                    "  \(name)  |\(bar(begin, duration, of: whole))|  \(DurationText.text(microseconds: duration))"
                let isProblem = ["refused", "failed", "overran", "late"].contains(outcome)
                lines.append(isProblem ? style.alarming("\(line), \(outcome)") : line)
            }
        }
        return lines
    }

    /// At least one sign, at its place.
    private static func bar(_ begin: Int64, _ duration: Int64, of whole: Int64) -> String {
        func place(_ time: Int64) -> Int { Int(min(max(Double(time) / Double(whole), 0), 1) * Double(width)) }
        let first = min(place(begin), width - 1)
        let last = max(place(begin.adding(duration)), first + 1)
        return String(repeating: " ", count: first) + String(repeating: "#", count: last - first)
            + String(repeating: " ", count: width - last)
    }
}
