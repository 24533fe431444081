// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryLinux
import Glibc
package import Varlink

/// The origin of a notification, in a few words. It caches user names.
@MainActor
package final class OriginText {
    private let isLocal: Bool
    private var names: [UInt32: String] = [0: "root"]

    /// - Parameter isLocal: whether the users are those of this machine.
    package init(isLocal: Bool = true) { self.isLocal = isLocal }

    /// `SIGTSTP from pid 12 kill (root) foo.service, value 7`, from an `io.belfry.Lifecycle` `Origin`.
    package func text(_ origin: JSONObject) -> String {
        let kind = origin.textOrDash("kind")
        if kind == "service" || origin.isEmpty { return kind }
        var text = "\(origin.text("signal") ?? kind) from "
        if origin.text("sender") == "kernel" { return text + "the kernel" }
        switch origin.number("pid") {
        case .some(let pid) where pid > 0: text += "pid \(pid)"
        default: text += "an unknown process"
        }
        if let command = origin.text("command") { text += " \(command)" }
        if let user = user(origin.number("uid")) {
            let login = self.user(origin.number("loginUid")).map { ", login \($0)" } ?? ""
            text += " (\(user)\(login))"
        }
        if let unit = origin.text("unit") { text += " \(unit)" }
        if let value = origin.number("value"), value != 0 { text += ", value \(value)" }
        return text
    }

    private func user(_ uid: Int64?) -> String? {
        uid.flatMap { UInt32(exactly: $0) }.map { SystemError.escape(name(of: $0)) }
    }

    /// The name of a user in the password database, or else the number. Another machine may have another user with the
    /// number.
    private func name(of uid: UInt32) -> String {
        if let name = names[uid] { return name }
        guard isLocal else { return "uid \(uid)" }
        let name = getpwuid(uid).map { String(cString: $0.pointee.pw_name) } ?? "uid \(uid)"
        // A service may name all 2^32 of them.
        if names.count >= 1024 { names = [:] }
        names[uid] = name
        return name
    }
}
