// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryConfiguration
import Varlink

/// The arguments of `explain` and `rehearse`.
struct SignalQuery: ParsableArguments {
    @Argument(
        help: "The signal: TERM, SIGUSR1, RTMIN+5.",
        completion: .list(["TERM", "INT", "HUP", "TSTP", "CONT", "USR1", "USR2", "PWR", "QUIT", "KILL", "STOP"]),
        transform: SignalQuery.name)
    var signal: String

    @Flag(help: "Print the reply as one JSON object.")
    var json = false

    /// The canonical name of a signal, without `SIG`.
    private static func name(_ text: String) throws -> String {
        do throws(ValueProblem) {
            return SignalName.name(of: try SignalName.number(text)) ?? text
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// Calls the method with the signal, and prints the reply.
    @MainActor func ask(
        _ method: String, within limit: Duration?, _ context: CommandContext,
        as lines: (JSONObject, TextStyle) -> [String]
    ) async throws -> JSONObject {
        let client = try context.connect()
        let reply = try await client.call(
            method, ["signal": .string(signal)], to: method.lowercased(), signal, within: limit)
        try context.print(reply, json: json, as: lines)
        return reply
    }
}

/// `belfryctl explain`.
struct ExplainCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Show what a signal would do now.",
        discussion: """
            Prints the notifications in order, the listeners that would be called with their deadlines, and whether all \
            deadlines together fit into the time limit of the transition.
            """)

    @OptionGroup var connection: ConnectionOptions

    @OptionGroup var query: SignalQuery

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        _ = try await query.ask("Explain", within: context.queryTimeout, context, as: ExplainText.lines)
        return .success
    }
}

/// The first line of `explain` and `rehearse`.
private enum SignalHeading {
    /// `SIGTERM (15): stop, stops the service in order`. A signal that the service cannot receive has no action.
    static func line(_ reply: JSONObject, _ style: TextStyle) -> String {
        let signal = style.bold("\(reply.textOrDash("signal")) (\(reply.numberOrDash("number")))")
        let action = reply.textOrDash("action")
        return "\(signal): " + (action == "none" ? "" : "\(action), ") + reply.textOrDash("effect")
    }
}

/// The reply of `Explain` as text.
enum ExplainText {
    static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        var lines = [SignalHeading.line(reply, style)]
        let steps = reply.objects("steps")
        guard !steps.isEmpty else {
            return lines + ["No notification is delivered in the state \(style.state(reply.textOrDash("state")))."]
        }
        for task in reply.objects("tasks") {
            lines.append(
                "Waits for background task '\(task.textOrDash("name"))', \(task.durationOrDash("remainingUsec")).")
        }
        return lines + table(steps).lines(style) + [verdict(reply, style)]
    }

    private static func table(_ steps: [JSONObject]) -> TextTable {
        var table = TextTable([
            ("NOTIFICATION", .left), ("LEADS TO", .left), ("LISTENER", .left), ("DEADLINE", .right), ("SHARE", .right),
            ("DRY RUN", .left),
        ])
        for step in steps {
            var name = step.textOrDash("name")
            var state = step.textOrDash("state")
            let listeners = step.objects("listeners")
            if listeners.isEmpty { table.add([name, state, "-", "-", "-", "-"]) }
            for listener in listeners {
                let deadline = listener.number("deadlineUsec").map(DurationText.text(microseconds:))
                table.add([
                    name, state, listener.textOrDash("name"), deadline ?? "at once",
                    deadline == nil ? "-" : listener.durationOrDash("shareUsec"),
                    listener["rehearses"]?.boolValue == true ? "yes" : "no",
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

/// `belfryctl rehearse`.
struct RehearseCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearse", abstract: "Check whether a signal would succeed now.",
        discussion: """
            Asks the listeners that support a dry run, in order, whether they would succeed. Nothing changes. The exit \
            status is 1 if one of them would fail or refuse.
            """)

    @OptionGroup var connection: ConnectionOptions

    @OptionGroup var query: SignalQuery

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let reply = try await query.ask("Rehearse", within: context.changeTimeout, context, as: RehearsalText.lines)
        return RehearsalText.hasPassed(reply) ? .success : .failure
    }
}

/// The reply of `Rehearse` as text.
enum RehearsalText {
    static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        var lines = [SignalHeading.line(reply, style)]
        for step in reply.objects("steps") {
            lines.append(style.notification(step.textOrDash("name")))
            for report in step.objects("reports") { lines.append(line(report, style)) }
            let skipped = step.list("skipped", separator: ", ")
            if !skipped.isEmpty { lines.append("  no dry run: \(skipped)") }
        }
        let unasked = reply.texts("unasked")
        if !unasked.isEmpty {
            lines.append("Not checked, may refuse or fail: \(unasked.joined(separator: ", "))")
        }
        guard hasPassed(reply) else {
            return lines + reply.texts("reasons").map { style.alarming("Objection: \($0)") }
        }
        return lines + [unasked.isEmpty ? "It would succeed." : "The listeners that were checked would succeed."]
    }

    static func hasPassed(_ reply: JSONObject) -> Bool { reply["passed"]?.boolValue ?? false }

    private static func line(_ report: JSONObject, _ style: TextStyle) -> String {
        let outcome = report.textOrDash("outcome")
        let facts = [outcome, report.durationOrDash("durationUsec"), report.text("reason")].compactMap(\.self)
        let line = "  \(report.textOrDash("listener")): \(facts.joined(separator: ", "))"
        return outcome == "completed" ? line : style.alarming(line)
    }
}
