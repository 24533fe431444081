// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryCommandLine
import BelfryEventLoop
import BelfryLinux
import Varlink

/// A command to hosts, and the lines that it prints.
struct FleetOrder {
    /// The parameters of `Send` and `Roll`, without the hosts.
    var parameters: JSONObject
    /// The verb of messages.
    let verb: String
    /// Their object.
    let object: String

    /// A command by its word, for posts with the name of the notification.
    init(_ command: String, _ name: String? = nil) {
        parameters = ["command": .string(command)]
        parameters["name"] = name.map { .string($0) }
        verb = command
        object = name ?? "hosts"
    }

    /// Sends the command, and prints a line for each host as it answers.
    ///
    /// - Returns: 1 unless all hosts did it.
    @MainActor func send(
        to pattern: String?, showsReports: Bool = false, _ options: FleetOptions, _ context: CommandContext
    ) async throws -> CommandStatus {
        let fleet = FleetClient(context)
        let hosts = try await fleet.hosts(pattern)
        var parameters = parameters
        parameters["hosts"] = pattern.map { .string($0) }
        parameters["timeoutUsec"] = FleetTimeout.parameter(options.connection.timeout)
        let session = try FleetSession(fleet, showsProgress: true, context)
        var answers = FleetAnswers(hosts.width, json: options.json, showsReports: showsReports, context.style)
        func show() {
            let part = hosts.hosts.isEmpty ? nil : Double(answers.count) / Double(hosts.hosts.count)
            session.show((part, "\(answers.count) of \(hosts.hosts.count) hosts have answered"))
        }
        show()
        let status = try await session.run("Send", parameters, to: verb, object) { reply in
            let lines = answers.lines(reply)
            defer { show() }
            return lines
        }
        return status == .success && answers.hasFailed ? .failure : status
    }
}

/// What hosts answer to a command.
struct FleetAnswers {
    private let width: Int
    private let isJSON: Bool
    private let showsReports: Bool
    private let style: TextStyle
    private let start = MonotonicInstant.now
    /// The number of hosts that have answered.
    private(set) var count = 0
    /// Whether a host did not do it.
    private(set) var hasFailed = false

    /// No answers yet.
    init(_ width: Int, json: Bool, showsReports: Bool, _ style: TextStyle) {
        self.width = width
        isJSON = json
        self.showsReports = showsReports
        self.style = style
    }

    /// The lines of a reply of `Send`: the host, the outcome, the time that it took, and why it failed; then the outcomes of
    /// its listeners.
    mutating func lines(_ reply: JSONObject) -> [String] {
        guard reply["host"] != nil else { return [] }
        let outcome = reply.textOrDash("outcome")
        let result = reply["result"]?.objectValue ?? [:]
        let problems = ListenerReports.problems(result)
        let isDone = outcome == "done" && problems.isEmpty
        count += 1
        if !isDone { hasFailed = true }
        if isJSON { return [JSONLine.text(reply)] }
        let reason = reply.text("reason") ?? (problems.isEmpty ? nil : "but \(problems.joined(separator: "; "))")
        let facts = [outcome, DurationText.text(MonotonicInstant.now - start), reason].compactMap(\.self)
        let line = "\(reply.textOrDash("host").padded(width))  \(facts.joined(separator: ", "))"
        // The first line has the number and the result of the post.
        let reports = showsReports ? PostReply.lines(result, style).dropFirst() : []
        return [isDone ? line : style.alarming(line)] + reports
    }
}

/// The steps of a rolling command.
enum FleetRoll {
    /// What to do with a rolling command that has stopped.
    static let waysToEnd = "'belfry-fleet continue' goes on with it, 'belfry-fleet cancel' ends it"

    /// Calls a method that replies with steps, and prints a line for each of them.
    @MainActor static func run(
        _ method: String, _ parameters: JSONObject, to verb: String, _ object: String, _ options: FleetOptions,
        _ context: CommandContext
    ) async throws -> CommandStatus {
        let fleet = FleetClient(context)
        let width = try await fleet.hosts(parameters["hosts"]?.stringValue).width
        let status = try await FleetSession(fleet, context).run(
            method, parameters, to: verb, object, reportsSignals: true
        ) { reply in
            guard reply["step"] != nil else { return [] }
            return [options.json ? JSONLine.text(reply) : line(reply, width)]
        }
        // belfry-fleetd stops it when its client is gone.
        if status != .success { context.note("the rolling command stops, \(waysToEnd)") }
        return status
    }

    /// The host, the step, and why; for the end only the step.
    private static func line(_ reply: JSONObject, _ width: Int) -> String {
        let facts = [reply.textOrDash("step"), reply.text("reason")].compactMap(\.self).joined(separator: ", ")
        return reply.text("host").map { "\($0.padded(width))  \(facts)" } ?? facts
    }
}
