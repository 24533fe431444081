// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryControl

/// `belfryctl actions`.
struct ActionsCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "actions", abstract: "List the actions that listeners offer.",
        discussion: "'belfryctl perform' has one of them done.")

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        let reply = try await client.call("ListActions", to: "list the actions of", within: context.looking)
        if json { try context.printJSON(reply) } else { try context.print(ActionTable.lines(reply, context.style)) }
        return .success
    }
}
