// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryControl
import Varlink

/// `belfryctl rehearse`.
struct RehearseCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearse", abstract: "Rehearse what a signal would do now.",
        discussion: """
            The listeners that allow a dry run are asked in order whether they would succeed; nothing changes. The \
            exit status is 1 when something speaks against it.
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
            "Rehearse", ["signal": .string(signal.name)], to: "rehearse", signal.name, within: context.changing)
        if json { try context.printJSON(reply) } else { try context.print(RehearsalText.lines(reply, context.style)) }
        return RehearsalText.hasPassed(reply) ? .success : .failure
    }
}
