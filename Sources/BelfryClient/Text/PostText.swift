// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// What came of a post.
package nonisolated enum PostText {
    /// The number of the notification; when all was awaited also the result, and a line for each listener.
    package static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        let number = reply.numberOrDash("sequence")
        let result = reply.textOrDash("result")
        guard result != "posted" else { return [number] }
        var lines = ["\(number) \(hasFailed(reply) ? style.alarming(result) : result)"]
        let reports = reply.objects("reports")
        let width = TextTable.width(reports.lazy.map { $0.textOrDash("listener") })
        for report in reports {
            let outcome = report.textOrDash("outcome")
            let facts = [outcome, report.lengthOrDash("durationUsec"), report.text("reason")].compactMap(\.self)
            let line = "  \(report.textOrDash("listener").padded(width))  \(facts.joined(separator: ", "))"
            lines.append(problems.contains(outcome) ? style.alarming(line) : line)
        }
        return lines
    }

    /// The outcomes of a listener that did not do what it should.
    private static let problems: Set<String> = ["refused", "failed", "overran", "late"]

    /// Whether a listener failed.
    package static func hasFailed(_ reply: JSONObject) -> Bool { reply.text("result") == "failed" }
}
