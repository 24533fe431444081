// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryControl

/// `belfryctl listeners`.
struct ListenersCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "listeners", abstract: "List the listeners, what they answer and how they do.")

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        let reply = try await client.call("ListListeners", to: "list the listeners of", within: context.looking)
        if json { try context.printJSON(reply) } else { try context.print(ListenerTable.lines(reply, context.style)) }
        return .success
    }
}
