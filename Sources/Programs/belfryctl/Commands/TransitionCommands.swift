// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import BelfryEventLoop
import BelfryLinux
import Varlink

/// A command that requests a transition, and prints the state that was reached and what listeners did.
protocol TransitionCommand: ReplyCommand {
    /// The method of `io.belfry.Lifecycle`.
    static var method: String { get }
    /// Its parameters.
    var parameters: JSONObject { get }
}

extension TransitionCommand {
    var parameters: JSONObject { [:] }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let (client, limit) = (try context.connect(), context.changeTimeout)
        let wait = try context.tellWait()
        defer { wait.cancel() }
        let verb = Self.method.lowercased()
        let before = try await client.call("GetState", to: verb, within: limit)
        let reply = try await client.call(Self.method, parameters, to: verb, within: limit)
        context.print(reply, json: json) { reply, style in
            [style.state(of: reply)] + ListenerReports.works(reply)
        }
        // A pause in a pause runs again what has failed. Without a second answer nothing is claimed.
        if before["state"] == reply["state"], let sequence = before.number("sequence"),
            let after = try? await client.call("GetState", to: verb, within: limit),
            after.number("sequence") == sequence
        {
            context.note("it was \(TextStyle.plain.state(of: before)) before, nothing was run or changed")
        }
        return context.report(reply)
    }
}

extension CommandContext {
    /// Says what the service waits for on standard error, if it does in two seconds and the timer is not cancelled.
    func tellWait() throws(SystemError) -> TimerEventSource {
        try loop.timer(after: .seconds(2)) {
            MainThreadExecutor.task { await self.noteTransition() }
        }
    }

    private func noteTransition() async {
        // If the service does not reply to this either, the command waits as long as it was told to.
        let state = try? await connect().call("GetState", to: "get the state of", within: queryTimeout)
        if let change = state?["transition"]?.objectValue { note(StatusText.transition(change, Self.now)) }
    }
}

private let transitionDiscussion = """
    Waits until the listeners are done, and after two seconds says on standard error for what. Prints the new state \
    and what they say that they did. Each listener that failed or was late is a line on standard error; the exit \
    status is then 1, though the state has changed.
    """

/// `belfryctl pause`.
struct PauseCommand: TransitionCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause the service: bring it to the background, as SIGTSTP does.",
        discussion: transitionDiscussion + " If one failed, another pause calls all of them again.")
    static let method = "Pause"

    @OptionGroup var options: NamedReplyOptions

    @Option(help: "The reason, shown wherever the pause is; at most 200 bytes.")
    var reason: String?

    var parameters: JSONObject { reason.map { ["reason": .string($0)] } ?? [:] }
}

/// `belfryctl resume`.
struct ResumeCommand: TransitionCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Continue the service after a pause or an interruption, as SIGCONT does.",
        discussion: transitionDiscussion)
    static let method = "Resume"

    @OptionGroup var options: NamedReplyOptions
}

/// `belfryctl interrupt`.
struct InterruptCommand: TransitionCommand {
    static let configuration = CommandConfiguration(
        commandName: "interrupt", abstract: "Interrupt the service: make it inactive until it continues.",
        discussion: transitionDiscussion, shouldDisplay: false)
    static let method = "Interrupt"

    @OptionGroup var options: NamedReplyOptions
}
