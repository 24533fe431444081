// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import BelfryConfiguration
import Varlink

/// `belfryctl plot`.
struct PlotCommand: JournalCommand {
    static let configuration = CommandConfiguration(
        commandName: "plot", abstract: "Draw a timeline of the last launch or stop, or of any span of time.",
        discussion: """
            The timeline is read from the journal. The service need not run. As text it shows when each listener was called. With \
            --svg it is a drawing for a browser: states, notifications, calls of listeners and suspensions; of the last launch \
            or stop, or of the span that is given.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Argument(help: "launch or stop. Default: launch.", completion: .list(["launch", "stop"]))
    var transition: String?

    @Flag(help: "Print an SVG document.")
    var svg = false

    @OptionGroup var span: JournalSpan

    @OptionGroup var source: JournalSource

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        try checkSource()
        if let transition, !["launch", "stop"].contains(transition) {
            throw ValidationError(
                "unknown transition '\(transition)', expected launch or stop"
                    + NearestName.question(transition, in: ["launch", "stop"]))
        }
        if svg, json { throw ValidationError("--svg and --json are two forms of output, use one of them") }
        guard span.isGiven else { return }
        if !svg { throw ValidationError("a span of time can only be drawn with --svg") }
        if transition != nil {
            throw ValidationError("a transition and a span of time are both given, use one of them")
        }
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let service = try await service(context)
        let query = JournalQuery(service: JournalService(service))
        if svg, span.isGiven {
            try drawSpan(query, of: service, context)
        } else {
            let name = transition ?? "launch"
            guard let timeline = try JournalReader().lastTimeline(of: name, service: query.service) else {
                throw missing(name, service)
            }
            if svg {
                try draw(timeline, name, query, of: service, context)
            } else {
                try context.print(timeline, json: json, as: TimelinePlot.lines)
            }
        }
        return .success
    }

    @MainActor private func drawSpan(_ query: JournalQuery, of service: String, _ context: CommandContext) throws {
        var query = query
        span.restrict(&query)
        query.limit = min(query.limit ?? .max, SpanHistory.eventsMax)
        var history = SpanHistory()
        try JournalReader().read(query) { entry in
            switch entry {
            case .notification(let notification, let listeners): history.add(notification, for: listeners)
            case .timeline(let timeline):
                history.add(timeline: timeline.steps, bootID: timeline.bootID, writtenAt: timeline.realtimeUsec)
            case .record: break
            }
        }
        try print(history, "the span", service, heading: PrintableText.line(service), context)
    }

    /// Draws a launch or a stop. Its record has the numbers of its notifications, and comes after theirs.
    @MainActor private func draw(
        _ timeline: JSONObject, _ name: String, _ query: JournalQuery, of service: String, _ context: CommandContext
    ) throws {
        let steps = timeline["steps"] ?? []
        let numbers = Set((steps.arrayValue ?? []).compactMap { $0["sequence"]?.intValue })
        let bootID = timeline["bootId"]?.stringValue ?? ""
        var query = query
        query.boot = .id(bootID)
        query.until = timeline.number("realtimeUsec")
        let end = query.until ?? 0
        query.since = end.subtracting(timeline.number("durationUsec") ?? 0).subtracting(Self.slack)
        var history = SpanHistory()
        try JournalReader().read(query) { entry in
            guard case .notification(let notification, _) = entry else { return }
            if numbers.contains(notification.number("sequence") ?? 0) { history.add(notification) }
        }
        history.add(timeline: steps, bootID: bootID, writtenAt: end)
        try print(history, name, service, heading: "\(PrintableText.line(service)) \(name)", context)
    }

    @MainActor private func print(
        _ history: SpanHistory, _ what: String, _ service: String, heading: String, _ context: CommandContext
    ) throws {
        guard history.span != nil else { throw missing(what, service) }
        try context.print(SpanPlot.lines(history, heading: heading))
    }

    /// How much later than its beginning journald may have read a transition's first record, in microseconds.
    private static let slack: Int64 = 10_000_000

    private func missing(_ what: String, _ service: String) -> ClientFailure {
        let name = PrintableText.line(service)
        return ClientFailure(.unavailable, "unable to plot '\(what)': the journal has no record of it for \(name)")
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
                lines.append(OutcomeWord.isProblem(outcome) ? style.alarming("\(line), \(outcome)") : line)
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
