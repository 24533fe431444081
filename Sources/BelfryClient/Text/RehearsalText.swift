// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// What became of a rehearsal.
package nonisolated enum RehearsalText {
    /// The lines of `rehearse`, from the reply of `Rehearse`.
    package static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        let signal = "\(reply.textOrDash("signal")) (\(reply.numberOrDash("number")))"
        var lines = ["\(style.bold(signal)): \(reply.textOrDash("action")), \(reply.textOrDash("effect"))"]
        for step in reply.objects("steps") {
            lines.append(style.notification(step.textOrDash("name")))
            for report in step.objects("reports") { lines.append(line(report, style)) }
            let skipped = step.list("skipped", separator: ", ")
            if !skipped.isEmpty { lines.append("  no dry run: \(skipped)") }
        }
        let unasked = reply.texts("unasked")
        if !unasked.isEmpty {
            lines.append("Could not be asked, and may refuse or fail: \(unasked.joined(separator: ", "))")
        }
        guard hasPassed(reply) else {
            return lines + reply.texts("reasons").map { style.alarming("Speaks against it: \($0)") }
        }
        return lines + [unasked.isEmpty ? "Nothing speaks against it." : "Of those asked, none speaks against it."]
    }

    /// Whether nothing spoke against it.
    package static func hasPassed(_ reply: JSONObject) -> Bool { reply["passed"]?.boolValue ?? false }

    private static func line(_ report: JSONObject, _ style: TextStyle) -> String {
        let outcome = report.textOrDash("outcome")
        let facts = [outcome, report.lengthOrDash("durationUsec"), report.text("reason")].compactMap(\.self)
        let line = "  \(report.textOrDash("listener")): \(facts.joined(separator: ", "))"
        return outcome == "completed" ? line : style.alarming(line)
    }
}
