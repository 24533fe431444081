// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient

/// `belfryctl reload`.
struct ReloadCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Have the configuration read anew, as SIGHUP does.",
        discussion: """
            Waits until the new configuration holds. When it is refused, the old one stays, each reason is printed on \
            standard error, and the exit status is 78.
            """)

    @OptionGroup var connection: ConnectionOptions

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        _ = try await client.call("Reload", to: "reload", within: context.changing)
        if StandardStream.output.isTerminal { try context.print(["configuration reloaded"]) }
        return .success
    }
}
