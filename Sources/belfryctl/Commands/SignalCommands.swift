// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import ArgumentParser
internal import BelfryClient
internal import BelfryConfiguration
package import Varlink

/// A question about what one signal would do. `explain` and `rehearse` have these arguments.
struct SignalQuery: ParsableArguments {
    @Argument(
        help: "The signal: TERM, SIGUSR1, RTMIN+5.", completion: SignalArgument.completion,
        transform: SignalArgument.init)
    var signal: SignalArgument

    @Flag(help: "Print the reply as one JSON object.")
    var json = false

    /// Asks the service, and prints what it says.
    @MainActor func ask(
        _ method: String, within limit: Duration?, _ context: CommandContext,
        as lines: (JSONObject, TextStyle) -> [String]
    ) async throws -> JSONObject {
        let client = try context.connect()
        let reply = try await client.call(
            method, ["signal": .string(signal.name)], to: method.lowercased(), signal.name, within: limit)
        try context.print(reply, json: json, as: lines)
        return reply
    }
}

/// A signal by its name, with or without `SIG`.
struct SignalArgument: Sendable {
    /// The name, without `SIG`.
    let name: String

    init(_ text: String) throws {
        do throws(ValueProblem) {
            let number = try SignalName.number(text)
            name = SignalName.name(of: number) ?? text
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// What to complete it with.
    static let completion = CompletionKind.list(["TERM", "INT", "HUP", "TSTP", "CONT", "USR1", "USR2", "PWR", "QUIT"])
}

/// `belfryctl explain`.
struct ExplainCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Say what a signal would do now.",
        discussion: """
            The notifications in their order, the listeners that would be told with their deadlines, and whether all of \
            it fits the time there is.
            """)

    @OptionGroup var connection: ConnectionOptions

    @OptionGroup var query: SignalQuery

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        _ = try await query.ask("Explain", within: context.looking, context, as: ExplainText.lines)
        return .success
    }
}

/// What a signal would do.
package enum ExplainText {
    /// The lines of `explain`, from the reply of `Explain`.
    package static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        let signal = "\(reply.textOrDash("signal")) (\(reply.numberOrDash("number")))"
        var lines = ["\(style.bold(signal)): \(reply.textOrDash("action")), \(reply.textOrDash("effect"))"]
        let steps = reply.objects("steps")
        guard !steps.isEmpty else {
            return lines + ["Nothing is delivered in the state \(style.state(reply.textOrDash("state")))."]
        }
        for task in reply.objects("tasks") {
            lines.append(
                "Waits for background task '\(task.textOrDash("name"))', \(task.lengthOrDash("remainingUsec")).")
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
                    deadline == nil ? "-" : listener.lengthOrDash("shareUsec"),
                    listener["rehearses"]?.boolValue == true ? "yes" : "no",
                ])
                (name, state) = ("", "")
            }
        }
        return table
    }

    private static func verdict(_ reply: JSONObject, _ style: TextStyle) -> String {
        let longest = reply.lengthOrDash("longestUsec")
        guard let limit = reply.number("limitUsec") else { return "Takes at most \(longest), and has no limit." }
        var text = "Takes at most \(longest), and has \(DurationText.text(microseconds: limit))"
        if let setting = reply.text("unitSetting") {
            text +=
                " of \(setting)=\(reply.number("unitTimeoutUsec").map(DurationText.text(microseconds:)) ?? "infinity")"
        } else {
            // StopTimeout= is the only such time that a key sets.
            text += reply.text("action") == "stop" ? " by configuration" : " as any transition has"
        }
        if reply["fits"]?.boolValue != false { return text + ": it fits." }
        return style.alarming(
            text + ": it does not fit, and each listener has its share, or more while it reports progress.")
    }
}

/// `belfryctl rehearse`.
struct RehearseCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearse", abstract: "Rehearse what a signal would do now.",
        discussion: """
            The listeners that allow a dry run are asked in order whether they would succeed; nothing changes. The \
            exit status is 1 when something speaks against it.
            """)

    @OptionGroup var connection: ConnectionOptions

    @OptionGroup var query: SignalQuery

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let reply = try await query.ask("Rehearse", within: context.changing, context, as: RehearsalText.lines)
        return RehearsalText.hasPassed(reply) ? .success : .failure
    }
}

/// What became of a rehearsal.
package enum RehearsalText {
    /// The lines of `rehearse`, from the reply of `Rehearse`.
    package static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        let signal = "\(reply.textOrDash("signal")) (\(reply.numberOrDash("number")))"
        var lines = ["\(style.bold(signal)): \(reply.textOrDash("action")), \(reply.textOrDash("effect"))"]
        for step in reply.objects("steps") {
            lines.append(style.notification(step.textOrDash("name")))
            for report in step.objects("reports") { lines.append(line(report, style)) }
            let skipped = step.list("skipped", separator: ", ")
            if !skipped.isEmpty { lines.append("  no dry run: \(skipped)") }
        }
        let unasked = reply.texts("unasked")
        if !unasked.isEmpty {
            lines.append("Could not be asked, and may refuse or fail: \(unasked.joined(separator: ", "))")
        }
        guard hasPassed(reply) else {
            return lines + reply.texts("reasons").map { style.alarming("Speaks against it: \($0)") }
        }
        return lines + [unasked.isEmpty ? "Nothing speaks against it." : "Of those asked, none speaks against it."]
    }

    /// Whether nothing spoke against it.
    package static func hasPassed(_ reply: JSONObject) -> Bool { reply["passed"]?.boolValue ?? false }

    private static func line(_ report: JSONObject, _ style: TextStyle) -> String {
        let outcome = report.textOrDash("outcome")
        let facts = [outcome, report.lengthOrDash("durationUsec"), report.text("reason")].compactMap(\.self)
        let line = "  \(report.textOrDash("listener")): \(facts.joined(separator: ", "))"
        return outcome == "completed" ? line : style.alarming(line)
    }
}
