// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import BelfryConfiguration
import BelfryLinux
import Varlink

/// A command that follows the notifications of the service.
protocol WatchingCommand: ReplyCommand {
    /// The names of the notifications.
    var names: [String] { get }
    /// Notifications after this sequence number come first.
    var after: Int64? { get }
}

extension WatchingCommand {
    func validate() throws {
        try valid(names.forEach { _ = try NotificationName.parse($0) })
        if let after, after < 0 { throw ValidationError("--after must not be negative") }
    }
}

/// `belfryctl watch`.
struct WatchCommand: WatchingCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show the notifications of the service as they are posted.",
        discussion: """
            Prints the state of the service, and then a line for each notification. When the service ends, waits until \
            it is back and continues after the last notification shown; a service that was stopped is not started. \
            Ends when its output is closed. --timeout limits only the wait for the state. With --json the lines are \
            {"state":…}, then {"notification":…} each.
            """)

    @OptionGroup var options: NamedReplyOptions

    @Option(
        name: .customLong("on"), parsing: .upToNextOption,
        help: ArgumentHelp("Show only these notifications.", valueName: "notification"), completion: .notifications)
    var names: [String] = []

    @Option(
        help: ArgumentHelp("Show first the notifications after this sequence number.", valueName: "sequence"))
    var after: Int64?

    @Flag(help: "Wait for a service that cannot be reached yet.")
    var wait = false

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        try await WatchSession(self, waitsForService: wait, context).run {
            ClientFailure(noAnswerIn: $0, to: "watch", context.path)
        }
    }
}

/// `belfryctl wait`.
struct WaitCommand: WatchingCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait for the next notification of a name, and show it.",
        discussion: """
            With several names, waits for the first notification with one of them. A restart of the service does not \
            end the wait. With --timeout the exit status is 69 if no such notification arrives in that time.
            """)

    @OptionGroup var options: ReplyOptions

    @Argument(help: "The notifications.", completion: .notifications)
    var names: [String]

    @Option(
        help: ArgumentHelp("Also accept a past notification after this sequence number.", valueName: "sequence"))
    var after: Int64?

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        try await WatchSession(self, waitsForService: true, count: 1, context).run { limit in
            let what = names.joined(separator: ", ")
            let reason = "nothing came in \(DurationText.text(limit))"
            return ClientFailure(.unavailable, "unable to wait for '\(what)': \(reason)")
        }
    }
}

/// Writes what a watch reports to standard output, until a failure or the end of the output.
@MainActor
final class WatchSession {
    private let context: CommandContext
    private let isJSON: Bool
    /// The number of notifications still to show; nil for a watch without end.
    private var remaining: Int?
    private let line: NotificationLine
    private var watch: Watch?
    private let completion = SessionCompletion()

    /// - Parameter count: the number of notifications after which to end, in which case states are not shown; nil for a
    ///   watch without end.
    init(_ command: some WatchingCommand, waitsForService: Bool, count: Int? = nil, _ context: CommandContext) {
        self.context = context
        isJSON = command.json
        remaining = count
        context.warn(of: command.names)
        line = NotificationLine(context.style)
        watch = Watch(
            context.path, names: command.names, after: command.after, waitsForService: waitsForService, on: context.loop
        ) { [weak self] in
            self?.show($0)
        } onEnd: { [weak self] in
            self?.completion.finish(.failure($0))
        }
    }

    /// Watches, and returns when that has ended.
    ///
    /// - Parameter late: the failure when the notifications that are counted, or else the first state, do not arrive
    ///   within the timeout of the command, if it has one.
    func run(_ late: (_ limit: Duration) -> ClientFailure) async throws -> CommandStatus {
        if let limit = context.changeTimeout { try completion.setTimeout(limit, on: context.loop, late(limit)) }
        // A wait has another purpose than its output.
        if remaining == nil { completion.finishWithOutput(on: context.loop) }
        let result = await completion.wait { watch?.start() }
        watch?.stop()
        return try result.get()
    }

    private func show(_ event: WatchEvent) {
        switch event {
        case .state(let state):
            guard remaining == nil else { return }
            completion.cancelTimeout()
            completion.write([isJSON ? JSONLine.text(["state": .object(state)]) : line.line(state: state)])
        case .notification(let notification):
            guard remaining != 0 else { return }
            let text = isJSON ? JSONLine.text(["notification": .object(notification)]) : line.line(notification)
            completion.write([text])
            guard let remaining else { return }
            self.remaining = remaining - 1
            if remaining == 1 { completion.finish(.success(.success)) }
        case .missed(let range):
            let (first, last) = (range.lowerBound, range.upperBound)
            let what = first == last ? "notification \(first) is" : "notifications \(first) to \(last) are"
            context.note("\(what) not in memory any more, 'belfryctl history' shows what the journal has")
        case .note(let text):
            context.note(text)
        }
    }
}
