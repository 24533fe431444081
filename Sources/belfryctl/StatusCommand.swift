// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import Varlink

/// `belfryctl status`.
struct StatusCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show where the service is, and how its listeners do.")

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print the state as one JSON object.")
    var json = false

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        let state = try await client.call("GetState", to: "get the state of", within: context.looking)
        if json {
            try context.printJSON(state)
            return .success
        }
        let listeners = try? await client.call("ListListeners", to: "list the listeners of", within: context.looking)
        let holds = try? await client.call("ListHolds", to: "list the holds of", within: context.looking)
        try context.print(
            StatusText.lines(state, listeners: listeners, holds: holds, now: CommandContext.now, context.style))
        return .success
    }
}
