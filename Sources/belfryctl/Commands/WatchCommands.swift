// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryConfiguration
import BelfryEventLoop
import BelfryLinux
import Glibc
import Varlink

/// A command that follows what happens to the service.
protocol WatchingCommand: ServiceCommand {
    /// The notifications.
    var names: [String] { get }
    /// What came after this number first.
    var after: Int64? { get }
}

extension WatchingCommand {
    func validate() throws {
        do {
            for name in names { _ = try NotificationName.parse(name) }
        } catch {
            throw ValidationError(error.message)
        }
        if let after, after < 0 { throw ValidationError("a sequence number is not negative") }
    }

    /// What is followed.
    @MainActor func subject(isAwaited: Bool, _ context: CommandContext) -> Watch.Subject {
        context.warn(of: names)
        return Watch.Subject(path: context.path, names: names, after: after, isAwaited: isAwaited)
    }
}

/// `belfryctl watch`.
struct WatchCommand: WatchingCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show what happens to the service, as it happens.",
        discussion: """
            Prints where the service is, and then a line for each notification. When the service goes away, waits for \
            it and goes on where it was; a service that was stopped is not started by this. Ends with SIGINT, SIGTERM, \
            or when nobody reads the output any more. --timeout limits only how long to wait for where the service is.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Argument(
        help: "Show only these notifications.", completion: .notifications)
    var names: [String] = []

    @Option(help: ArgumentHelp("Show first what came after this number.", valueName: "sequence"))
    var after: Int64?

    @Flag(help: "Print one JSON object a line: {\"state\":…}, then {\"notification\":…} each.")
    var json = false

    @Flag(help: "Wait for a service that cannot be reached yet.")
    var wait = false

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let session = try WatchSession(subject(isAwaited: wait, context), json: json, context)
        if let limit = context.changing {
            try session.limit(limit, ControlFailure(noAnswerIn: limit, to: "watch", context.path))
        }
        return try await session.run()
    }
}

/// `belfryctl wait`.
struct WaitCommand: WatchingCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait for the next notification of a name, and show it.",
        discussion: """
            With several names the first of them ends the wait. A restart of the service does not. With --timeout it ends \
            with status 69 when nothing came in that time.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Argument(help: "The notifications.", completion: .notifications)
    var names: [String]

    @Option(help: ArgumentHelp("Take one that came after this number already.", valueName: "sequence"))
    var after: Int64?

    @Flag(help: "Print {\"notification\":…}.")
    var json = false

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let session = try WatchSession(subject(isAwaited: true, context), json: json, count: 1, context)
        if let limit = context.changing {
            let what = names.joined(separator: ", ")
            try session.limit(
                limit,
                ControlFailure(
                    .unavailable, "unable to wait for '\(what)': nothing came in \(DurationText.text(limit))"))
        }
        return try await session.run()
    }
}

/// A watch on its way to standard output, until a signal, a failure or the end of the output.
@MainActor
final class WatchSession {
    private let context: CommandContext
    private let output: LineOutput
    private let isJSON: Bool
    /// How many notifications are waited for; nil for a watch without an end.
    private var left: Int?
    private let line: NotificationLine
    private var watch: Watch?
    private let end = SessionEnd()

    /// - Parameter count: how many notifications end the watch, of which only these are shown; nil for no end.
    init(_ subject: Watch.Subject, json: Bool, count: Int? = nil, _ context: CommandContext) throws {
        self.context = context
        isJSON = json
        left = count
        line = NotificationLine(context.style)
        output = LineOutput(.output, on: context.loop)
        watch = Watch(subject, on: context.loop) { [weak self] in
            self?.show($0)
        } onEnd: { [weak self] in
            self?.end.reach(.failure($0))
        }
        output.onEnd = { [weak self] error in
            self?.end.reach(error.map { .failure($0) } ?? .success(.success))
        }
        output.onCongestion = { [weak self] in self?.watch?.isPaused = $0 }
    }

    /// Watches, and returns when that is over.
    func run() async throws -> CommandStatus {
        var signals = 0
        let result = try await end.wait(on: context.loop) { [unowned end] _ in
            signals += 1
            end.reach(.success(.success))
        } _: {
            watch?.start()
        }
        watch?.stop()
        if !output.finish(after: signals) { context.note("nobody reads, the last line is not whole") }
        return try result.get()
    }

    /// Gives up with this failure when in this time what is waited for has not come: the notifications that are counted,
    /// or else the first state.
    func limit(_ limit: Duration, _ failure: ControlFailure) throws(SystemError) {
        try end.limit(limit, on: context.loop, failure)
    }

    private func show(_ event: WatchEvent) {
        switch event {
        case .state where left != nil: break
        case .state(let state):
            end.endLimit()
            output.write(isJSON ? json("state", state) : line.line(state: state))
        case .notification(let notification):
            guard left != 0 else { return }
            output.write(isJSON ? json("notification", notification) : line.line(notification))
            guard let left else { return }
            self.left = left - 1
            guard left == 1 else { return }
            end.endLimit()
            output.whenWritten { [weak self] in self?.end.reach(.success(.success)) }
        case .note(let text):
            context.note(text)
        }
    }

    private func json(_ key: String, _ object: JSONObject) -> String {
        JSONLine.text([key: .object(object)])
    }
}
