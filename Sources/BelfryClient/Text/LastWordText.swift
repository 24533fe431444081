// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// Who ended or paused a service, and why, in a line or two.
package enum LastWordText {
    /// From an object as `GetState` has it.
    package static func lines(_ word: JSONObject, origins: OriginText = OriginText()) -> [String] {
        var text = word.textOrDash("kind")
        if let time = word.number("realtimeUsec") { text += " \(WallClockText.dateAndTime(time))" }
        text += " by \(origins.text(word["origin"]?.objectValue ?? [:]))"
        if let reason = word.text("reason") { text += ", reason \(reason)" }
        if let cut = word["cutShortBy"]?.objectValue { text += ", cut short by \(origins.text(cut))" }
        if let status = word.number("exitStatus") { text += ", exit status \(status)" }
        var lines = [text]
        if let problem = word.text("problem") { lines.append(problem) }
        let slow = word.objects("listeners").sorted {
            ($0.number("durationUsec") ?? 0) > ($1.number("durationUsec") ?? 0)
        }
        let times = slow.prefix(3).map { listener in
            let outcome = listener.text("outcome").flatMap { $0 == "completed" ? nil : " \($0)" } ?? ""
            return "\(listener.textOrDash("listener")) \(listener.lengthOrDash("durationUsec"))\(outcome)"
        }
        if !times.isEmpty { lines.append("slowest: " + times.joined(separator: ", ")) }
        return lines
    }
}
