// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryConfiguration
import Varlink

/// A command that reads the records of a service from the journal.
protocol JournalCommand: ServiceCommand {
    /// The service, if it is named.
    var source: JournalSource { get }
}

extension JournalCommand {
    /// Refuses options that contradict each other.
    func checkSource() throws {
        if connection.socket ?? connection.instance != nil, source.service != nil {
            let option = connection.socket == nil ? "--instance" : "--socket"
            throw ValidationError("\(option) and --service both name the service, use one of them")
        }
        if connection.timeout != nil, !isAsked(environment: CommandContext.environment()) {
            throw ValidationError("--timeout applies only when the service is asked for its name, use it with --socket")
        }
    }

    /// The name of the service in the journal. A service whose socket is given is asked for its name.
    @MainActor func service(_ context: CommandContext) async throws(ClientFailure) -> String {
        guard isAsked(environment: CommandContext.environment()) else {
            return source.service ?? InstanceName.full("belfryd", connection.instance)
        }
        do throws(ClientFailure) {
            let state = try await context.connect().call(
                "GetState", to: "get the name of", within: context.queryTimeout)
            guard let name = state["service"]?.stringValue, name.utf8.count <= 255 else {
                throw ClientFailure(.unavailable, "unable to get the name of '\(context.path)': it did not give one")
            }
            return name
        } catch {
            throw error.with("use --service to give its name in the journal instead")
        }
    }

    private func isAsked(environment: [String: String]) -> Bool {
        source.service == nil && connection.namesSocket(environment: environment)
    }
}

/// The service whose records are read, an option of `history` and `plot`.
struct JournalSource: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The name of the service in the journal (SYSLOG_IDENTIFIER), or its unit: 'video@1.service'.",
            discussion: """
                Default: the service at --socket or $BELFRY_SOCKET, which must be running so that it can be asked for its \
                name; otherwise belfryd, or its --instance.
                """, valueName: "name"))
    var service: String?
}

/// `belfryctl history`.
struct HistoryCommand: JournalCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show past notifications of the service, from the journal.",
        discussion: """
            Prints one line for each notification, as 'belfryctl watch' does. The service need not run. Root and members of \
            the group systemd-journal can read the journal of a system service.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Argument(help: "Show only these notifications.", completion: .notifications)
    var names: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Show notifications since this time: '2026-01-02 14:03', '14:03', 'today', 'yesterday', '-2h', '2h ago', '@1767358802'.",
            valueName: "time"))
    var since: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Show notifications until this time.", valueName: "time"))
    var until: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Show only this boot: an id, or 0 for the current boot, -1 for the one before.", valueName: "boot"))
    var boot: String?

    @Option(
        name: [.customShort("n"), .long], help: ArgumentHelp("Show only the last notifications.", valueName: "number"))
    var lines: Int?

    @OptionGroup var source: JournalSource

    @Flag(help: "Print one JSON object a line: {\"notification\":…}.")
    var json = false

    func validate() throws {
        try checkSource()
        for text in [since, until] {
            guard let text, TimestampText.parse(text, now: CommandContext.now) == nil else { continue }
            throw ValidationError("invalid time '\(text)'")
        }
        if let boot, JournalBoot(boot) == nil {
            throw ValidationError("invalid boot '\(boot)', expected an id of 32 hexadecimal digits, or 0, -1, -2 …")
        }
        if let lines, lines < 0 { throw ValidationError("--lines must not be negative") }
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        context.warn(of: names)
        var query = JournalQuery(service: JournalService(try await service(context)))
        query.names = names
        query.since = since.flatMap { TimestampText.parse($0, now: CommandContext.now) }
        query.until = until.flatMap { TimestampText.parse($0, now: CommandContext.now) }
        query.boot = boot.flatMap(JournalBoot.init)
        query.limit = lines
        let line = NotificationLine(context.style)
        try JournalReader().read(query) { notification in
            try context.print([
                json ? JSONLine.text(["notification": .object(notification)]) : line.line(notification)
            ])
        }
        return .success
    }
}

/// `belfryctl plot`.
struct PlotCommand: JournalCommand {
    static let configuration = CommandConfiguration(
        commandName: "plot", abstract: "Draw a timeline of the last launch or stop, listener by listener.",
        discussion: "The timeline is read from the journal. The service need not run.")

    @OptionGroup var connection: ConnectionOptions

    @Argument(
        help: "launch or stop.", completion: .list(["launch", "stop"]))
    var transition = "launch"

    @OptionGroup var source: JournalSource

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        try checkSource()
        guard ["launch", "stop"].contains(transition) else { throw ValidationError("expected launch or stop") }
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let service = try await service(context)
        guard let timeline = try JournalReader().lastTimeline(of: transition, service: JournalService(service)) else {
            let name = PrintableText.line(service)
            throw ClientFailure(
                .unavailable, "unable to plot '\(transition)': the journal has no record of it for \(name)")
        }
        try context.print(timeline, json: json, as: TimelinePlot.lines)
        return .success
    }
}

/// A transition as bars: a line for each notification and for each listener that was called.
enum TimelinePlot {
    private static let width = 40

    /// The lines of a timeline, `{"trigger":…,"realtimeUsec":…,"durationUsec":…,"steps":[…]}`.
    static func lines(_ timeline: JSONObject, _ style: TextStyle) -> [String] {
        let steps = timeline.objects("steps")
        let start = steps.first?.number("startUsec") ?? 0
        let whole = max(timeline.number("durationUsec") ?? 0, 1)
        let names = TextTable.width(steps.lazy.flatMap { $0.objects("listeners") }.map { $0.textOrDash("listener") })
        // Listeners are indented by two spaces.
        let column = max(names, TextTable.width(steps.lazy.map { $0.textOrDash("notification") }) - 2)
        let title = "\(timeline.textOrDash("trigger")) took \(timeline.durationOrDash("durationUsec"))"
        var lines = [style.bold(title) + ", ended \(WallClockText.dateAndTime(timeline.number("realtimeUsec") ?? 0))"]
        for step in steps {
            lines.append(style.notification(step.textOrDash("notification")))
            for call in step.objects("listeners") {
                let begin = (call.number("startUsec") ?? start).subtracting(start)
                let duration = call.number("durationUsec") ?? 0
                let outcome = call.textOrDash("outcome")
                let name = call.textOrDash("listener").padded(column)
                let line =
                    "  \(name)  |\(bar(begin, duration, of: whole))|  \(DurationText.text(microseconds: duration))"
                let isProblem = ["refused", "failed", "overran", "late"].contains(outcome)
                lines.append(isProblem ? style.alarming("\(line), \(outcome)") : line)
            }
        }
        return lines
    }

    /// At least one mark, at the place of its time.
    private static func bar(_ begin: Int64, _ duration: Int64, of whole: Int64) -> String {
        func place(_ time: Int64) -> Int { Int(min(max(Double(time) / Double(whole), 0), 1) * Double(width)) }
        let first = min(place(begin), width - 1)
        let last = max(place(begin.adding(duration)), first + 1)
        return String(repeating: " ", count: first) + String(repeating: "#", count: last - first)
            + String(repeating: " ", count: width - last)
    }
}
