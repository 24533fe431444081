// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient

/// `belfryctl rehearse`.
struct RehearseCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearse", abstract: "Rehearse what a signal would do now.",
        discussion: """
            The listeners that allow a dry run are asked in order whether they would succeed; nothing changes. The \
            exit status is 1 when something speaks against it.
            """)

    @OptionGroup var connection: ConnectionOptions

    @OptionGroup var query: SignalQuery

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let reply = try await query.ask("Rehearse", within: context.changing, context, as: RehearsalText.lines)
        return RehearsalText.hasPassed(reply) ? .success : .failure
    }
}
