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
            let skipped = step.texts("skipped")
            if !skipped.isEmpty { lines.append("  no dry run: \(skipped.joined(separator: ", "))") }
        }
        if hasPassed(reply) { return lines + ["Nothing speaks against it."] }
        return lines + reply.texts("reasons").map { style.alarming("Speaks against it: \($0)") }
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
