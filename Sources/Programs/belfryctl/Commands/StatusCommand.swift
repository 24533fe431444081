// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import Varlink

/// `belfryctl status`.
struct StatusCommand: ReplyCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of the service and of its listeners.")

    @OptionGroup var options: NamedReplyOptions

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client: ServiceClient
        do throws(ClientFailure) {
            client = try context.connect()
        } catch {
            StandardStream.error.write(ListCommand.idleApplication(at: context.path))
            throw error
        }
        var state = try await client.call("GetState", to: "get the state of", within: context.queryTimeout)
        let listeners = try? await client.call(
            "ListListeners", to: "list the listeners of", within: context.queryTimeout)
        let holds = try? await client.call("ListHolds", to: "list the holds of", within: context.queryTimeout)
        state["holds"] = holds?["holds"] ?? .null
        state["problems"] = listeners.map { [state] in
            .array(ListenerRecords.problems($0, of: state).map { .string($0) })
        }
        context.print(state, json: json) {
            StatusText.lines($0, listeners: listeners, now: CommandContext.now, $1)
        }
        return .success
    }
}

/// The state of a service on a page.
@MainActor
enum StatusText {
    /// The lines of `status`, from the replies of `GetState` with `holds`, which are null if they could not be listed,
    /// and of `ListListeners` if that succeeded.
    /// The first five say what matters most; a transition under way, holds and a stop that failed precede the second.
    ///
    /// - Parameter now: CLOCK_REALTIME in microseconds.
    static func lines(
        _ state: JSONObject, listeners: JSONObject?, now: Int64, _ style: TextStyle
    ) -> [String] {
        // The application ran on when its instance stopped, or has a unit that says how it ended.
        let isInstance = listeners?.objects("listeners").contains { $0.text("name") == "application" } ?? false
        let word = state["lastWord"]?.objectValue.map { ExitRecordText.lines($0, isOfInstance: isInstance) } ?? []
        let health = listeners.map { ListenerRecords.problems($0, of: state) }.map {
            $0.isEmpty ? "all listeners are healthy" : style.alarming($0.prefix(3).joined(separator: "; "))
        }
        let healthy = listeners?.objects("listeners").compactMap { $0.number("healthyUsec") }.max()
            .map { ", last healthy \(time($0, now))" }
        var facts = state["transition"]?.objectValue.map { [("Transition", transition($0, now))] } ?? []
        func add(_ heading: String, _ lines: some Sequence<String>) {
            for (position, line) in lines.enumerated() { facts.append((position == 0 ? heading : "", line)) }
        }
        add("Held for", state["holds"] == .null ? ["unknown"] : state.objects("holds").map(hold))
        add("Failed", ListenerRecords.failedCommands(of: state).filter { !$0.isOfRun }.map { style.alarming($0.text) })
        facts += [
            ("Process", process(state, now)), ("Last", last(state, now)), ("Last word", word.first ?? "none"),
            ("Health", (health ?? "unknown") + (healthy ?? "")),
        ]
        add("Details", word.dropFirst())
        if let launch = state["launch"]?.objectValue { facts.append(("Launch", LaunchText.text(launch))) }
        add("Listeners", listeners.map(ListenersCommand.summary) ?? [])
        return [head(state, now, style)]
            + facts.map { heading, text in heading.rightAligned(13) + (heading.isEmpty ? "  " : ": ") + text }
    }

    /// `backup (pid 12, for 2 min, 5 min left)`
    static func hold(_ hold: JSONObject) -> String {
        let limit = hold.number("remainingUsec").map { ", \(DurationText.text(microseconds: $0)) left" } ?? ""
        let age = hold.durationOrDash("ageUsec")
        return "\(hold.textOrDash("reason")) (pid \(hold.numberOrDash("pid")), for \(age)\(limit))"
    }

    private static func head(_ state: JSONObject, _ now: Int64, _ style: TextStyle) -> String {
        let name = style.bold("\(state.textOrDash("service")) \(state.textOrDash("version"))")
        let isPassing = TextStyle.passing(state) != nil
        let usec = isPassing ? state["transition"]?["sinceUsec"]?.intValue : state.number("stateSinceUsec")
        let since = usec.map { " since \(time($0, now))" } ?? ""
        return "\(name) is \(style.state(of: state))\(since)"
    }

    /// `pause by socket from pid 12 (root), since …; 2 s ago, waiting for 'backup'`
    static func transition(_ facts: JSONObject, _ now: Int64) -> String {
        let origin = OriginText().text(facts["origin"]?.objectValue ?? [:])
        let since = facts.number("sinceUsec").map { ", since \(time($0, now))" } ?? ""
        let names = facts.texts("waitingFor").map { "'\($0)'" }.joined(separator: ", ")
        let what = facts.textOrDash("trigger") + (facts["dryRun"]?.boolValue ?? false ? " (dry run)" : "")
        return "\(what) by \(origin)\(since)" + (names.isEmpty ? "" : ", waiting for \(names)")
    }

    private static func process(_ state: JSONObject, _ now: Int64) -> String {
        let started = state.number("uptimeUsec").map { ", started \(time(now.subtracting($0), now))" } ?? ""
        return "pid \(state.numberOrDash("pid"))\(started)"
    }

    /// The last notification; of an older service only its number.
    private static func last(_ state: JSONObject, _ now: Int64) -> String {
        guard let last = state["lastNotification"]?.objectValue else { return state.numberOrDash("sequence") }
        let when = last.number("realtimeUsec").map { ", \(time($0, now))" } ?? ""
        let origin = OriginText().text(last["origin"]?.objectValue ?? [:])
        return "\(last.numberOrDash("sequence")) \(last.textOrDash("name"))\(when), by \(origin)"
    }

    private static func time(_ realtime: Int64, _ now: Int64) -> String {
        "\(WallClockText.dateAndTime(realtime)); \(DurationText.text(microseconds: now.subtracting(realtime))) ago"
    }
}

/// The exit record: who stopped or paused a service, and why.
@MainActor
enum ExitRecordText {
    /// The lines for the `lastWord` of `GetState`.
    static func lines(_ word: JSONObject, isOfInstance: Bool = false) -> [String] {
        let origins = OriginText()
        var text = (isOfInstance && word.text("kind") == "stopped" ? "Belfry " : "") + word.textOrDash("kind")
        if let time = word.number("realtimeUsec") { text += " \(WallClockText.dateAndTime(time))" }
        // Then the signal and the status are those of belfryd, which followed.
        let hasFollowed = word.text("reason") == "unitEnded"
        let problem = word.text("problem")
        if hasFollowed {
            text += ", because the application had ended or was killed" + (problem.map { " (\($0))" } ?? "")
        }
        if !hasFollowed, let origin = word["origin"]?.objectValue { text += " by \(origins.text(origin))" }
        if !hasFollowed, let reason = word.text("reason") { text += ", reason \(reason)" }
        if let reason = word.text("pauseReason") { text += ": \(reason)" }
        if let end = word["endedBy"]?.objectValue {
            let cause = word.text("endReason") ?? "by \(origins.text(end))"
            text += "; ended \(WallClockText.dateAndTime(word.number("endedUsec") ?? 0)): \(cause)"
        }
        if let cut = word["cutShortBy"]?.objectValue { text += ", cut short by \(origins.text(cut))" }
        if let status = word.number("exitStatus"), !hasFollowed { text += ", exit status \(status)" }
        var lines = [text]
        if !hasFollowed, let problem { lines.append(problem) }
        let slow = word.objects("listeners").sorted {
            ($0.number("durationUsec") ?? 0) > ($1.number("durationUsec") ?? 0)
        }
        let times = slow.prefix(3).map { listener in
            let outcome = listener.text("outcome").flatMap { $0 == "completed" ? nil : " \($0)" } ?? ""
            return "\(listener.textOrDash("listener")) \(listener.durationOrDash("durationUsec"))\(outcome)"
        }
        if !times.isEmpty { lines.append("slowest: " + times.joined(separator: ", ")) }
        return lines + ListenerReports.works(word, in: "listeners")
    }
}
