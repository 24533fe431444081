// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryControl
import Varlink

/// `belfryctl explain`.
struct ExplainCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Say what a signal would do now.",
        discussion: """
            The notifications in their order, the listeners that would be told with their deadlines, and whether all of \
            it fits the time there is.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Argument(
        help: "The signal: TERM, SIGUSR1, RTMIN+5.", completion: SignalArgument.completion,
        transform: SignalArgument.init)
    var signal: SignalArgument

    @Flag(help: "Print the reply as one JSON object.")
    var json = false

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        let reply = try await client.call(
            "Explain", ["signal": .string(signal.name)], to: "explain", signal.name, within: context.looking)
        if json { try context.printJSON(reply) } else { try context.print(ExplainText.lines(reply, context.style)) }
        return .success
    }
}
