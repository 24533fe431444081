// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// Notifications, one line each, in columns.
package struct NotificationLine {
    private let style: TextStyle
    private let origins: OriginText

    /// Lines for a person when the style has colours, otherwise for a program: without colours and with whole dates.
    package init(_ style: TextStyle, userNames: UserNames = UserNames()) {
        self.style = style
        origins = OriginText(userNames: userNames)
    }

    /// The line of an `io.belfry.Lifecycle` `Notification`: when, number, name, state, origin, user info.
    package func line(_ notification: JSONObject) -> String {
        let realtime = notification.number("realtimeUsec") ?? 0
        let time = style.isStyled ? WallClockText.time(realtime) : WallClockText.full(realtime)
        let number = notification.numberOrDash("sequence")
        let name = notification.textOrDash("name")
        let (change, changeWidth) = change(notification)
        let columns = [
            style.dim(time),
            String(repeating: " ", count: max(0, 5 - number.count)) + number,
            style.notification(name) + String(repeating: " ", count: max(0, 19 - name.count)),
            change + String(repeating: " ", count: max(0, 24 - changeWidth)),
            origins.text(notification["origin"]?.objectValue ?? [:]),
            style.dim(details(name, notification["userInfo"]?.objectValue ?? [:])),
        ]
        return columns.joined(separator: "  ").trimmedAtEnd
    }

    /// The line that says where the service is.
    package func line(state: JSONObject) -> String {
        let name = state.textOrDash("state")
        let uptime = state.lengthOrDash("uptimeUsec")
        let service = "\(state.textOrDash("service")) \(state.textOrDash("version"))"
        let facts = ["pid \(state.numberOrDash("pid"))", "up \(uptime)", "sequence \(state.numberOrDash("sequence"))"]
        return "\(style.bold(service)) is \(style.state(name)), " + facts.joined(separator: ", ")
    }

    private func change(_ notification: JSONObject) -> (text: String, width: Int) {
        let state = notification.textOrDash("state")
        guard let previous = notification.text("previousState"), previous != state else {
            return (style.state(state), state.count)
        }
        return ("\(style.state(previous)) -> \(style.state(state))", previous.count + 4 + state.count)
    }

    /// What there is to know; of a launch, whose user info tells the whole of the last run, what matters.
    private func details(_ name: String, _ info: JSONObject) -> String {
        switch name {
        case "willFinishLaunching", "didFinishLaunching": info.isEmpty ? "" : LaunchText.text(info)
        default: userInfo(info)
        }
    }

    private func userInfo(_ info: JSONObject) -> String {
        OutsideText.line(
            info.lazy.map { key, value in
                let text = value.stringValue.flatMap { Self.needsQuotes($0) ? nil : $0 } ?? value.description
                return "\(key)=\(text)"
            })
    }

    private static func needsQuotes(_ text: String) -> Bool {
        text.isEmpty || text.unicodeScalars.contains { $0 == "\"" || $0.properties.isWhitespace }
    }
}
