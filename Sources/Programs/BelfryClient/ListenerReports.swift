// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// What a reply says about the listeners that were called for it.
package nonisolated enum ListenerReports {
    /// Whether one of them failed, refused or was late.
    package static func haveProblem(_ reply: JSONObject) -> Bool { !bad(reply).isEmpty }

    /// A line for each of these.
    package static func problems(_ reply: JSONObject) -> [String] {
        bad(reply).map { report in
            problem(
                of: report.textOrDash("listener"), report.textOrDash("outcome"), in: report.text("notification"),
                after: report.number("durationUsec"), reason: report.text("reason"))
        }
    }

    /// What listeners did, a line for each that says so, as in the journal: `video: stopped at frame 203`.
    package static func works(_ reply: JSONObject, in list: String = "reports") -> [String] {
        reply.objects(list).compactMap { report in
            report.text("work").map { "\(report.textOrDash("listener")): \($0)" }
        }
    }

    /// How a listener failed, in the words of its journal record:
    /// `listener 'nginx' failed at didBecomeActive: exit status 1`.
    package static func problem(
        of name: String, _ outcome: String, in notification: String?, after microseconds: Int64?, reason: String?
    ) -> String {
        let object = notification ?? "its last notification"
        let time = microseconds.map { " after \(DurationText.text(microseconds: $0))" } ?? ""
        let what =
            switch outcome {
            case "refused": "refused \(object)"
            case "late": "answered \(object) late,\(time)"
            case "overran": "gave no answer to \(object)\(time)"
            default: "failed at \(object)"
            }
        return "listener '\(name)' \(what)" + (reason.map { ": \($0)" } ?? "")
    }

    private static func bad(_ reply: JSONObject) -> [JSONObject] {
        reply.objects("reports").filter { OutcomeWord.isProblem($0.text("outcome")) }
    }
}

/// What the words for the outcome of a listener's call mean, as replies and journal records have them.
package nonisolated enum OutcomeWord {
    /// A result or an outcome as an operator reads it.
    package static func text(_ word: String) -> String { word == "noData" ? "done" : word }

    /// Whether the listener missed its deadline.
    package static func isLate(_ word: String?) -> Bool { word == "overran" || word == "late" }

    /// Whether the listener refused, failed or missed its deadline.
    package static func isProblem(_ word: String?) -> Bool { ["failed", "refused"].contains(word) || isLate(word) }
}
