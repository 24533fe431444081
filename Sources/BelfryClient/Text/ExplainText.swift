// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// What a signal would do.
package nonisolated enum ExplainText {
    /// The lines of `explain`, from the reply of `Explain`.
    package static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        let signal = "\(reply.textOrDash("signal")) (\(reply.numberOrDash("number")))"
        var lines = ["\(style.bold(signal)): \(reply.textOrDash("action")), \(reply.textOrDash("effect"))"]
        let steps = reply.objects("steps")
        guard !steps.isEmpty else {
            return lines + ["Nothing is delivered in the state \(style.state(reply.textOrDash("state")))."]
        }
        for task in reply.objects("tasks") {
            lines.append(
                "Waits for background task '\(task.textOrDash("name"))', \(task.lengthOrDash("remainingUsec")).")
        }
        return lines + table(steps).lines(style) + [verdict(reply, style)]
    }

    private static func table(_ steps: [JSONObject]) -> TextTable {
        var table = TextTable([
            ("NOTIFICATION", .left), ("LEADS TO", .left), ("LISTENER", .left), ("DEADLINE", .right), ("SHARE", .right),
            ("DRY RUN", .left),
        ])
        for step in steps {
            var name = step.textOrDash("name")
            var state = step.textOrDash("state")
            let listeners = step.objects("listeners")
            if listeners.isEmpty { table.add([name, state, "-", "-", "-", "-"]) }
            for listener in listeners {
                let deadline = listener.number("deadlineUsec").map(DurationText.text(microseconds:))
                table.add([
                    name, state, listener.textOrDash("name"), deadline ?? "at once",
                    deadline == nil ? "-" : listener.lengthOrDash("shareUsec"),
                    listener["rehearses"]?.boolValue == true ? "yes" : "no",
                ])
                (name, state) = ("", "")
            }
        }
        return table
    }

    private static func verdict(_ reply: JSONObject, _ style: TextStyle) -> String {
        let longest = reply.lengthOrDash("longestUsec")
        guard let limit = reply.number("limitUsec") else { return "Takes at most \(longest), and has no limit." }
        var text = "Takes at most \(longest), and has \(DurationText.text(microseconds: limit))"
        if let setting = reply.text("unitSetting") {
            text +=
                " of \(setting)=\(reply.number("unitTimeoutUsec").map(DurationText.text(microseconds:)) ?? "infinity")"
        } else {
            // StopTimeout= is the only such time that a key sets.
            text += reply.text("action") == "stop" ? " by configuration" : " as any transition has"
        }
        if reply["fits"]?.boolValue != false { return text + ": it fits." }
        return style.alarming(
            text + ": it does not fit, and each listener has its share, or more while it reports progress.")
    }
}
