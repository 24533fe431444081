// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import ArgumentParser
internal import BelfryClient
package import Varlink

/// A command that shows what the service has of one kind.
protocol ListCommand: ServiceCommand {
    /// The method of `io.belfry.Lifecycle`.
    static var method: String { get }
    /// What it lists, for messages.
    static var subject: String { get }
    /// The reply as text.
    @MainActor static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String]
    /// Whether the reply is printed as it came.
    var json: Bool { get }
}

extension ListCommand {
    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        let reply = try await client.call(Self.method, to: "list the \(Self.subject) of", within: context.looking)
        try context.print(reply, json: json, as: Self.lines)
        return .success
    }
}

/// `belfryctl listeners`.
struct ListenersCommand: ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "listeners", abstract: "List the listeners, what they answer and how they do.")
    static let method = "ListListeners"
    static let subject = "listeners"

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @MainActor static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        ListenerTable.lines(reply, style)
    }
}

/// The listeners of a service and how they do.
package enum ListenerTable {
    /// A heading and a row for each, from the reply of `ListListeners`; those that failed last are marked.
    package static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        var table = TextTable([
            ("ORDER", .right), ("NAME", .left), ("DEADLINE", .right), ("HEALTH", .left), ("CALLS", .right),
            ("FAILURES", .right),
            ("LAST", .left), ("LONGEST", .right), ("INTERESTS", .left),
        ])
        for listener in reply.objects("listeners") {
            let last = [listener.text("lastOutcome"), listener.number("lastDurationUsec").map(DurationText.text)]
            table.add(
                [
                    listener.numberOrDash("order"), listener.textOrDash("name"), listener.lengthOrDash("deadlineUsec"),
                    listener.textOrDash("health"),
                    listener.numberOrDash("calls"), listener.numberOrDash("failures"),
                    last.compactMap(\.self).isEmpty ? "-" : last.compactMap(\.self).joined(separator: ", "),
                    listener.lengthOrDash("longestDurationUsec"), listener.list("interests"),
                ], isAlarming: hasFailed(listener) || isTroubled(listener))
        }
        return table.lines(style)
    }

    /// One line for each: the name, how often it was called, and what went wrong.
    package static func summary(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        let listeners = reply.objects("listeners")
        let width = TextTable.width(listeners.lazy.map { $0.textOrDash("name") })
        return listeners.map { listener in
            let line = "\(listener.textOrDash("name").padded(width))  \(count(listener, "calls", "call"))"
            let failures = listener.number("failures") ?? 0
            guard failures > 0 else { return line }
            let last = hasFailed(listener) ? ", the last one \(listener.textOrDash("lastOutcome"))" : ""
            return style.alarming("\(line), \(count(listener, "failures", "failure"))\(last)")
        }
    }

    private static func isTroubled(_ listener: JSONObject) -> Bool {
        ["unhealthy", "lost"].contains(listener.text("health"))
    }

    private static func hasFailed(_ listener: JSONObject) -> Bool {
        ["failed", "overran", "late"].contains(listener.text("lastOutcome"))
    }

    private static func count(_ listener: JSONObject, _ key: String, _ noun: String) -> String {
        "\(listener.numberOrDash(key)) \(noun)\(listener.number(key) == 1 ? "" : "s")"
    }
}

/// `belfryctl actions`.
struct ActionsCommand: ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "actions", abstract: "List the actions that listeners offer.",
        discussion: "'belfryctl perform' has one of them done.")
    static let method = "ListActions"
    static let subject = "actions"

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @MainActor static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        ActionTable.lines(reply, style)
    }
}

/// What listeners offer to do.
package enum ActionTable {
    /// A heading and a row for each, from the reply of `ListActions`.
    package static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        var table = TextTable([("ID", .left), ("TITLE", .left)])
        for action in reply.objects("actions") { table.add([action.textOrDash("id"), action.textOrDash("title")]) }
        return table.lines(style)
    }
}

/// `belfryctl signals`.
struct SignalsCommand: ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "signals", abstract: "List what each signal does.")
    static let method = "ListSignals"
    static let subject = "signals"

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @MainActor static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        SignalTable.lines(reply, style)
    }
}

/// What each signal does.
package enum SignalTable {
    /// A heading and a row for each, from the reply of `ListSignals`.
    package static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        var table = TextTable([("SIGNAL", .left), ("NUMBER", .right), ("ACTION", .left)])
        for signal in reply.objects("signals") {
            table.add([signal.textOrDash("signal"), signal.numberOrDash("number"), signal.textOrDash("action")])
        }
        return table.lines(style)
    }
}

/// `belfryctl metrics`.
struct MetricsCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics", abstract: "Show the figures that the service keeps.",
        discussion: "They are those of io.systemd.Metrics, which systemd-report reads too.")

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print one JSON object: {\"metrics\":[…]}.")
    var json = false

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        let metrics = try await client.collect(
            "io.systemd.Metrics.List", to: "read the metrics of", within: context.looking)
        if json {
            try context.printJSON(["metrics": .array(metrics.map { .object($0) })])
        } else {
            try context.print(MetricTable.lines(metrics, context.style))
        }
        return .success
    }
}

/// The figures of a service.
package enum MetricTable {
    private static let prefix = "io.belfry.Lifecycle."

    /// A heading and a row for each, from the replies of `io.systemd.Metrics.List`.
    package static func lines(_ metrics: [JSONObject], _ style: TextStyle) -> [String] {
        var table = TextTable([("METRIC", .left), ("OF", .left), ("VALUE", .right)])
        for metric in metrics {
            let name = metric.textOrDash("name")
            let fields = metric["fields"]?.objectValue ?? [:]
            let of = [metric["object"]?.stringValue].compactMap(\.self) + fields.lazy.compactMap(\.value.stringValue)
            table.add([
                name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name,
                OutsideText.line(of, separator: ", "),
                metric.text("value") ?? metric["value"].map { OutsideText.line($0.description) } ?? "-",
            ])
        }
        return table.lines(style)
    }
}
