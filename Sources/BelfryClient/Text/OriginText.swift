// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
package import Varlink

/// Who or what caused something, in a few words.
package struct OriginText {
    private let userNames: UserNames

    package init(userNames: UserNames = UserNames()) { self.userNames = userNames }

    /// `SIGTSTP from pid 12 kill (root) foo.service, value 7`, from an `io.belfry.Lifecycle` `Origin`.
    package func text(_ origin: JSONObject) -> String {
        let kind = origin.textOrDash("kind")
        if kind == "service" || origin.isEmpty { return kind }
        var text = "\(origin.text("signal") ?? kind) from "
        if origin.text("sender") == "kernel" { return text + "the kernel" }
        switch origin.number("pid") {
        case .some(let pid) where pid > 0: text += "pid \(pid)"
        default: text += "a process out of sight"
        }
        if let command = origin.text("command") { text += " \(command)" }
        if let uid = origin.number("uid").flatMap({ UInt32(exactly: $0) }) {
            text += " (\(SystemError.escape(userNames.name(of: uid))))"
        }
        if let unit = origin.text("unit") { text += " \(unit)" }
        if let value = origin.number("value"), value != 0 { text += ", value \(value)" }
        return text
    }
}
