// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import Glibc
package import Varlink

/// Colours and weights (ECMA-48) for a terminal, or none at all.
package struct TextStyle: Sendable, Equatable {
    /// Text as it is.
    package static let plain = TextStyle(isStyled: false)
    /// Text with colours.
    package static let coloured = TextStyle(isStyled: true)

    /// Whether colours are used. It also decides between output for people and for programs.
    package let isStyled: Bool

    private init(isStyled: Bool) { self.isStyled = isStyled }

    /// The style for a descriptor: colours on a terminal, unless `$NO_COLOR` is set (no-color.org) or the terminal is
    /// dumb.
    package static func fitting(_ descriptor: Int32, environment: [String: String]) -> TextStyle {
        let refused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return isatty(descriptor) == 1 && !refused && environment["TERM"] != "dumb" ? coloured : plain
    }

    package func bold(_ text: String) -> String { mark(text, "1") }

    package func dim(_ text: String) -> String { mark(text, "2") }

    /// Text about a problem.
    package func alarming(_ text: String) -> String { mark(text, "31") }

    private static let colours = [
        "active": "32", "inactive": "33", "background": "34", "suspended": "35", "notRunning": "31",
    ]

    /// The name of a state in its colour.
    package func state(_ name: String, as words: String? = nil) -> String {
        Self.colours[name].map { mark(words ?? name, $0) } ?? name
    }

    /// The state in a reply, as an operator calls it: `background` is a pause, unless the service passes it.
    package func state(of reply: JSONObject) -> String {
        let states = ["background": "paused (background)", "notRunning": "not running"]
        let name = reply.textOrDash("state")
        return state(name, as: Self.passing(reply) ?? states[name])
    }

    /// What a service does that stops or starts, whatever its state is; nil for one that does neither.
    package static func passing(_ reply: JSONObject) -> String? {
        let words = ["stop": "stopping", "launch": "starting"]
        return reply["transition"]?.objectValue?.text("trigger").flatMap { words[$0] }
    }

    /// The name of a notification in its colour: one for problems, for `will…`, for `did…`, and for all others.
    package func notification(_ name: String) -> String {
        let isProblem =
            ["didFailToReload", "willTerminate", "didReceiveMemoryWarning", "powerFailing"].contains(name)
        if isProblem { return mark(name, "1;31") }
        return mark(name, name.hasPrefix("will") ? "33" : name.hasPrefix("did") ? "32" : "36")
    }

    private func mark(_ text: String, _ code: String) -> String {
        isStyled && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
