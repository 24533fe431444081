// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient

/// `belfryctl explain`.
struct ExplainCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Say what a signal would do now.",
        discussion: """
            The notifications in their order, the listeners that would be told with their deadlines, and whether all of \
            it fits the time there is.
            """)

    @OptionGroup var connection: ConnectionOptions

    @OptionGroup var query: SignalQuery

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        _ = try await query.ask("Explain", within: context.looking, context, as: ExplainText.lines)
        return .success
    }
}
