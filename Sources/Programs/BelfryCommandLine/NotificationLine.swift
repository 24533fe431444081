// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryLinux
import Glibc
package import Varlink

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
        let name = state.textOrDash("state")
        let uptime = state.durationOrDash("uptimeUsec")
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
                let text = value.stringValue.flatMap { Self.needsQuotes($0) ? nil : $0 } ?? value.description
                return "\(key)=\(text)"
            })
    }

    private static func needsQuotes(_ text: String) -> Bool {
        text.isEmpty || text.unicodeScalars.contains { $0 == "\"" || $0.properties.isWhitespace }
    }
}

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

    /// The name of a user in the password database, or else the number. Another machine may have another user with the number.
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

/// Points in time as text, in the time zone of this process.
package enum WallClockText {
    /// `14:03:22.123`.
    package static func time(_ realtime: Int64) -> String { text(realtime, "%H:%M:%S.") + fraction(realtime, 3) }

    /// `2026-01-02 14:03:22`.
    package static func dateAndTime(_ realtime: Int64) -> String { text(realtime, "%Y-%m-%d %H:%M:%S") }

    /// `2026-01-02T14:03:22.123456+0100`, for programs.
    package static func full(_ realtime: Int64) -> String {
        text(realtime, "%Y-%m-%dT%H:%M:%S.") + fraction(realtime, 6) + text(realtime, "%z")
    }

    /// The first digits of the fraction of the second.
    private static func fraction(_ realtime: Int64, _ digits: Int) -> Substring {
        "\(1_000_000 + split(realtime).microseconds)".dropFirst().prefix(digits)
    }

    private static func text(_ realtime: Int64, _ format: String) -> String {
        var seconds = time_t(split(realtime).seconds)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return "?" }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = buffer.withUnsafeMutableBytes {
            strftime($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, format, &parts)
        }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// Whole seconds, rounded down also before 1970, and the rest.
    private static func split(_ realtime: Int64) -> (seconds: Int64, microseconds: Int64) {
        let (seconds, rest) = realtime.quotientAndRemainder(dividingBy: 1_000_000)
        return rest < 0 ? (seconds - 1, rest + 1_000_000) : (seconds, rest)
    }
}
