// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryControl

/// `belfryctl signals`.
struct SignalsCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "signals", abstract: "List what each signal does.")

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        let reply = try await client.call("ListSignals", to: "list the signals of", within: context.looking)
        if json { try context.printJSON(reply) } else { try context.print(SignalTable.lines(reply, context.style)) }
        return .success
    }
}
