// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
package import Varlink

/// The reply of `Post` and of `PerformAction`.
package enum PostReply {
    /// The sequence number; if the client waited also the result, and a line for each listener, or that there was none.
    package static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        let number = reply.numberOrDash("sequence")
        let result = OutcomeWord.text(reply.textOrDash("result"))
        guard result != "posted" else { return [number] }
        var lines = ["\(number) \(ListenerReports.haveProblem(reply) ? style.alarming(result) : result)"]
        let reports = reply.objects("reports")
        if reply["reports"]?.arrayValue?.isEmpty == true { return lines + ["  no listener handles it"] }
        let width = TextTable.width(reports.lazy.map { $0.textOrDash("listener") })
        for report in reports {
            let outcome = report.textOrDash("outcome")
            let facts = [OutcomeWord.text(outcome), report.durationOrDash("durationUsec"), report.text("reason")]
                .compactMap(\.self)
            let work = report.text("work").map { ": \($0)" } ?? ""
            let line = "  \(report.textOrDash("listener").padded(width))  \(facts.joined(separator: ", "))\(work)"
            lines.append(OutcomeWord.isProblem(outcome) ? style.alarming(line) : line)
        }
        return lines
    }
}
