// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
package import BelfryJSON

/// Notifications, one line each, in columns.
@MainActor
package struct NotificationLine {
    private let style: TextStyle
    private let origins: OriginText

    /// With a coloured style, lines show the time of day; otherwise date and time.
    ///
    /// - Parameter isLocal: whether the notifications are of this machine.
    package init(_ style: TextStyle, isLocal: Bool = true) {
        self.style = style
        origins = OriginText(isLocal: isLocal)
    }

    /// The line of a notification: time, sequence number, name, state, origin, user info.
    package func line(_ notification: JSONObject) -> String {
        let realtime = notification.number("realtimeUsec") ?? 0
        let time = style.isStyled ? WallClockText.time(realtime) : WallClockText.full(realtime)
        let number = notification.numberOrDash("sequence")
        let name = notification.textOrDash("name")
        let (change, changeWidth) = change(notification)
        let columns = [
            style.dim(time),
            number.rightAligned(5),
            style.notification(name) + String(repeating: " ", count: max(0, 19 - name.count)),
            change + String(repeating: " ", count: max(0, 24 - changeWidth)),
            origins.text(notification["origin"]?.objectValue ?? [:]),
            style.dim(details(name, notification["userInfo"]?.objectValue ?? [:])),
        ]
        return columns.joined(separator: "  ").trimmedAtEnd
    }

    /// The line of what a listener has logged about a notification: time, sequence number, listener, message.
    package func line(record: JSONObject) -> String { line(ofListener: record, record.textOrDash("message")) }

    /// The line of the call of a listener: time of its end, sequence number, listener, outcome, duration.
    package func line(call: JSONObject) -> String {
        let outcome = call.textOrDash("outcome")
        let work = call.text("work").map { ": \($0)" } ?? ""
        let text = "\(outcome), \(call.durationOrDash("durationUsec"))\(work)"
        return line(ofListener: call, OutcomeWord.isProblem(outcome) ? style.alarming(text) : text)
    }

    private func line(ofListener object: JSONObject, _ text: String) -> String {
        let realtime = object.number("realtimeUsec") ?? 0
        let time = style.isStyled ? WallClockText.time(realtime) : WallClockText.full(realtime)
        let listener = ("- " + object.textOrDash("listener")).padded(19)
        return [style.dim(time), object.numberOrDash("sequence").rightAligned(5), listener, text]
            .joined(separator: "  ")
    }

    /// The line of a state.
    package func line(state: JSONObject) -> String {
        let uptime = state.durationOrDash("uptimeUsec")
        let service = "\(state.textOrDash("service")) \(state.textOrDash("version"))"
        let facts = ["pid \(state.numberOrDash("pid"))", "up \(uptime)", "sequence \(state.numberOrDash("sequence"))"]
        return "\(style.bold(service)) is \(style.state(of: state)), " + facts.joined(separator: ", ")
    }

    private func change(_ notification: JSONObject) -> (text: String, width: Int) {
        let state = notification.textOrDash("state")
        guard let previous = notification.text("previousState"), previous != state else {
            return (style.state(state), state.count)
        }
        return ("\(style.state(previous)) -> \(style.state(state))", previous.count + 4 + state.count)
    }

    /// The user info; for a launch, whose user info describes the whole previous run, a summary.
    private func details(_ name: String, _ info: JSONObject) -> String {
        switch name {
        case "willFinishLaunching", "didFinishLaunching": info.isEmpty ? "" : LaunchText.text(info)
        default: userInfo(info)
        }
    }

    private func userInfo(_ info: JSONObject) -> String {
        PrintableText.line(
            info.lazy.map { key, value in
                // Whole texts are compared as bytes: `==` of strings takes quadratic time.
                if UTF8Text(key) == "unitJob", value == "none" { return "(the unit runs on)" }
                let text = value.stringValue.flatMap { Self.needsQuotes($0) ? nil : $0 } ?? value.description
                return "\(key)=\(text)"
            })
    }

    private static func needsQuotes(_ text: String) -> Bool {
        let shown = text.cut(toBytes: PrintableText.longest).unicodeScalars
        return shown.isEmpty || shown.contains { $0 == "\"" || $0.properties.isWhitespace }
    }
}
