// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import Varlink

/// A command that prints the reply of a method that lists something.
protocol TableCommand: ReplyCommand {
    /// The method of `io.belfry.Lifecycle`.
    static var method: String { get }
    /// What it lists, for messages.
    static var subject: String { get }
    /// The reply as text.
    static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String]
}

extension TableCommand {
    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        let reply = try await client.call(Self.method, to: "list the \(Self.subject) of", within: context.queryTimeout)
        context.print(reply, json: json, as: Self.lines)
        return .success
    }
}

/// `belfryctl listeners`.
struct ListenersCommand: TableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listeners", abstract: "List the listeners, the notifications they handle and their health.")
    static let method = "ListListeners"
    static let subject = "listeners"

    @OptionGroup var options: NamedReplyOptions

    /// A heading and a row for each listener; a listener whose last call failed is marked.
    static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        let listeners = reply.objects("listeners")
        let work: [(heading: String, alignment: TextTable.Alignment)] =
            listeners.contains { $0.text("lastWork") != nil } ? [("LAST WORK", .left)] : []
        var table = TextTable(
            [
                ("ORDER", .right), ("NAME", .left), ("DEADLINE", .right), ("HEALTH", .left), ("CALLS", .right),
                ("FAILURES", .right), ("LAST", .left), ("LONGEST", .right), ("INTERESTS", .left),
            ] + work)
        for listener in listeners {
            let last = [listener.text("lastOutcome"), listener.number("lastDurationUsec").map(DurationText.text)]
                .compactMap(\.self)
            table.add(
                [
                    listener.numberOrDash("order"), listener.textOrDash("name"),
                    listener.durationOrDash("deadlineUsec"), listener.textOrDash("health"),
                    listener.numberOrDash("calls"), listener.numberOrDash("failures"),
                    last.isEmpty ? "-" : last.joined(separator: ", "),
                    listener.durationOrDash("longestDurationUsec"), listener.list("interests"),
                ] + work.map { _ in listener.textOrDash("lastWork") },
                isAlarming: ListenerRecords.hasFailed(listener) || !ListenerRecords.isHealthy(listener))
        }
        return table.lines(style)
    }

    /// What listeners do, or have done last, a line for each that says so.
    static func summary(_ reply: JSONObject) -> [String] {
        reply.objects("listeners").compactMap { listener in
            (listener.text("activity") ?? listener.text("lastWork")).map { "\(listener.textOrDash("name")): \($0)" }
        }
    }
}

/// `belfryctl actions`.
struct ActionsCommand: TableCommand {
    static let configuration = CommandConfiguration(
        commandName: "actions", abstract: "List the actions that listeners offer.",
        discussion: "'belfryctl perform' requests one.")
    static let method = "ListActions"
    static let subject = "actions"

    @OptionGroup var options: NamedReplyOptions

    static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        var table = TextTable([("ID", .left), ("TITLE", .left)])
        for action in reply.objects("actions") { table.add([action.textOrDash("id"), action.textOrDash("title")]) }
        return table.lines(style)
    }
}

/// `belfryctl signals`.
struct SignalsCommand: TableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signals", abstract: "List what each signal does.")
    static let method = "ListSignals"
    static let subject = "signals"

    @OptionGroup var options: NamedReplyOptions

    static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        var table = TextTable([("SIGNAL", .left), ("NUMBER", .right), ("ACTION", .left)])
        for signal in reply.objects("signals") {
            table.add([signal.textOrDash("signal"), signal.numberOrDash("number"), signal.textOrDash("action")])
        }
        return table.lines(style)
    }
}

/// `belfryctl metrics`.
struct MetricsCommand: TableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics", abstract: "Print the metrics of the service as OpenMetrics text, for Prometheus.")
    static let method = "GetOpenMetrics"
    static let subject = "metrics"

    @OptionGroup var options: NamedReplyOptions

    /// The text as it is, whatever its length; each line is made fit for a terminal.
    static func lines(_ reply: JSONObject, _: TextStyle) -> [String] {
        (reply["text"]?.stringValue ?? "").utf8.split(separator: UInt8(ascii: "\n")).map {
            SystemError.escape(String(Substring($0)))
        }
    }
}
