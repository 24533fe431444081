// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import BelfryConfiguration
import Varlink

/// `belfry-fleet watch`.
struct FleetWatchCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show the states and the notifications of the hosts as they change.",
        discussion: """
            Prints the state of each host, and then a line for each change and each notification. Ends on SIGINT or SIGTERM, \
            or when its output is closed.
            """)

    @OptionGroup var options: FleetOptions

    @Argument(help: "Show only these notifications.", completion: .notifications)
    var names: [String] = []

    @OptionGroup var selection: HostsOption

    func validate() throws {
        try valid(names.forEach { _ = try NotificationName.parse($0) })
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        context.warn(of: names)
        let fleet = FleetClient(context)
        let width = try await fleet.hosts(selection.hosts).width
        let line = FleetLine(width, json: json, context)
        var parameters: JSONObject = [:]
        parameters["hosts"] = selection.hosts.map { .string($0) }
        if !names.isEmpty { parameters["names"] = .array(names.map { .string($0) }) }
        return try await FleetSession(fleet, context).run(
            "Watch", parameters, to: "watch", "hosts", endsWithOutput: true
        ) {
            line.lines(ofWatch: $0)
        }
    }
}

/// `belfry-fleet history`.
struct FleetHistoryCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show past notifications of the hosts, from memory or from their journals.",
        discussion: """
            Prints the notifications of the current boot of each host, the oldest first. The exit status is 1 if a host did \
            not send all of them; standard error names it. --timeout limits the wait for the hosts.
            """)

    @OptionGroup var options: FleetOptions

    @OptionGroup var selection: HostsOption

    @Option(help: ArgumentHelp("Show the notifications after this sequence number.", valueName: "sequence"))
    var after: Int64?

    func validate() throws {
        if let after, after < 0 { throw ValidationError("--after must not be negative") }
        try FleetTimeout.check(timeout)
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let fleet = FleetClient(context)
        let line = FleetLine(try await fleet.hosts(selection.hosts).width, json: json, context)
        var parameters: JSONObject = [:]
        parameters["hosts"] = selection.hosts.map { .string($0) }
        parameters["after"] = after.map { .int($0) }
        parameters["timeoutUsec"] = FleetTimeout.parameter(timeout)
        var isComplete = true
        let status = try await FleetSession(fleet, context).run(
            "History", parameters, to: "read the history of", "hosts"
        ) {
            reply in
            if let outcome = reply.text("outcome"), outcome != "done" {
                isComplete = false
                let reason = [outcome, reply.text("reason")].compactMap(\.self).joined(separator: ", ")
                context.note("the history of '\(reply.textOrDash("host"))' is not complete: \(reason)")
            }
            return line.lines(ofHistory: reply)
        }
        return status == .success && !isComplete ? .failure : status
    }
}

/// Lines about hosts. The names of the hosts are a column.
@MainActor
struct FleetLine {
    private let width: Int
    private let isJSON: Bool
    private let context: CommandContext
    private let style: TextStyle
    private let line: NotificationLine

    /// Lines with names of this width, or replies as JSON.
    init(_ width: Int, json: Bool, _ context: CommandContext) {
        self.width = width
        isJSON = json
        self.context = context
        style = context.style
        line = NotificationLine(context.style, isLocal: false)
    }

    /// A reply of `Watch`: a host, a notification of one, or a note about one or about the broker. As text, notes go to standard
    /// error.
    func lines(ofWatch reply: JSONObject) -> [String] {
        if isJSON { return reply.isEmpty ? [] : [JSONLine.text(reply)] }
        let host = reply["host"]?.objectValue
        if let note = reply.text("note") {
            context.note([host?.textOrDash("name"), note].compactMap(\.self).joined(separator: ": "))
            return []
        }
        if let notification = reply["notification"]?.objectValue {
            return [text(host?.textOrDash("name") ?? "-", notification)]
        }
        return host.map { [FleetHosts.line($0, style)] } ?? []
    }

    /// A reply of `History`.
    func lines(ofHistory reply: JSONObject) -> [String] {
        if isJSON { return reply.isEmpty ? [] : [JSONLine.text(reply)] }
        return reply["notification"]?.objectValue.map { [text(reply.textOrDash("host"), $0)] } ?? []
    }

    private func text(_ host: String, _ notification: JSONObject) -> String {
        "\(style.bold(host))\(String(repeating: " ", count: max(0, width - host.count)))  \(line.line(notification))"
    }
}
