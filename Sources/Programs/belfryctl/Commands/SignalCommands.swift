// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import BelfryConfiguration
import BelfrySystemd
import Varlink

/// `belfryctl explain`.
struct ExplainCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Show what a signal would do now.",
        discussion: """
            Prints the notifications in order, the listeners that would be called with their deadlines, and whether \
            all deadlines together fit into the time limit of the transition.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Argument(
        help: "The signal: TERM, SIGUSR1, RTMIN+5; or stop, pause, resume or reload for the one that asks for it.",
        transform: ExplainCommand.name)
    var signal: String

    @Flag(help: "Print the reply as one JSON object.")
    var json = false

    /// The canonical name of a signal, without `SIG`. A verb of Belfry is its signal: `stop` is not SIGSTOP.
    private static func name(_ text: String) throws -> String {
        let signals = ["stop": "TERM", "pause": "TSTP", "resume": "CONT", "reload": "HUP"]
        return try signals[text] ?? valid(SignalName.name(of: SignalName.number(text)) ?? text)
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        var reply = try await client.call(
            "Explain", ["signal": .string(signal)], to: "explain", signal, within: context.queryTimeout)
        let application = connection.instance.flatMap { ApplicationFile($0, in: .ofProcess).settings }
        if let application, reply.text("action") == "stop" {
            do { reply["unit"] = try Self.stop(of: application) } catch { context.note("\(error)") }
        }
        context.print(reply, json: json, as: ExplainText.lines)
        return .success
    }

    /// What systemd does with the unit of an application: which units it stops before, and the unit's own time.
    @MainActor private static func stop(of application: ApplicationSettings) throws -> JSONValue {
        let unit = try ServiceManagerUnit.properties(of: application.unit)
        let own = ["belfryd@\(application.name).service", "belfry-listener@\(application.name).service"]
        let bonds = ["RequiredBy", "RequisiteOf", "BoundBy", "ConsistsOf", "PropagatesStopTo"]
        let bound = Set(bonds.flatMap(unit.texts)).subtracting(own)
        let waits = try bound.intersection(unit.texts("Before")).sorted().filter {
            try ServiceManagerUnit.properties(of: $0).isActive
        }
        return [
            "name": .string(application.unit), "waitsFor": .array(waits.map { .string($0) }),
            "timeout": .string(unit.time("TimeoutStopUSec").map(DurationText.text) ?? "infinity"),
        ]
    }
}

/// The reply of `Explain` as text.
enum ExplainText {
    static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        var lines = [heading(reply, style)]
        let steps = reply.objects("steps")
        guard !steps.isEmpty else {
            return lines + ["No notification is delivered in the state \(style.state(of: reply))."]
        }
        let unit = reply["unit"]?.objectValue
        lines += (unit?.texts("waitsFor") ?? []).map { "Waits until \($0) has stopped." }
        lines += reply.objects("tasks").map {
            "Waits for task or hold '\($0.textOrDash("name"))', at most \($0.durationOrDash("remainingUsec"))."
        }
        let end = unit.map { "Then \($0.textOrDash("name")) stops, with TimeoutStopSec=\($0.textOrDash("timeout"))." }
        return lines + table(steps).lines(style) + [verdict(reply, style)] + [end].compactMap(\.self)
    }

    /// `SIGTERM (15): stop, stops the service in order`. A signal that the service cannot receive has no action.
    private static func heading(_ reply: JSONObject, _ style: TextStyle) -> String {
        let signal = style.bold("\(reply.textOrDash("signal")) (\(reply.numberOrDash("number")))")
        let action = reply.textOrDash("action")
        return "\(signal): " + (action == "none" ? "" : "\(action), ") + reply.textOrDash("effect")
    }

    private static func table(_ steps: [JSONObject]) -> TextTable {
        var table = TextTable([
            ("NOTIFICATION", .left), ("LEADS TO", .left), ("LISTENER", .left), ("DEADLINE", .right), ("SHARE", .right),
        ])
        for step in steps {
            var name = step.textOrDash("name")
            var state = step.textOrDash("state")
            let listeners = step.objects("listeners")
            if listeners.isEmpty { table.add([name, state, "-", "-", "-"]) }
            for listener in listeners {
                let deadline = listener.number("deadlineUsec").map(DurationText.text(microseconds:))
                table.add([
                    name, state, listener.textOrDash("name"), deadline ?? "at once",
                    deadline == nil ? "-" : listener.durationOrDash("shareUsec"),
                ])
                (name, state) = ("", "")
            }
        }
        return table
    }

    private static func verdict(_ reply: JSONObject, _ style: TextStyle) -> String {
        let longest = reply.durationOrDash("longestUsec")
        guard let limit = reply.number("limitUsec") else { return "Takes at most \(longest); there is no limit." }
        var text = "Takes at most \(longest), and has \(DurationText.text(microseconds: limit))"
        if let setting = reply.text("unitSetting") {
            text +=
                " of \(setting)=\(reply.number("unitTimeoutUsec").map(DurationText.text(microseconds:)) ?? "infinity")"
        } else {
            // StopTimeout= is the only key for such a time.
            text += reply.text("action") == "stop" ? " by configuration" : " as for any transition"
        }
        if reply["fits"]?.boolValue != false { return text + ": it fits." }
        return style.alarming(
            text + ": it does not fit. Each listener gets its share, or more while it reports progress.")
    }
}
