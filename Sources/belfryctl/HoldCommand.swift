// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient

/// `belfryctl hold`.
struct HoldCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Delay pause, sleep and stop of the service while a command runs.",
        discussion: """
            The exit status is that of the command, or 128 and the number of the signal that ended it. Without a command the \
            service is held until SIGINT or SIGTERM. When the service is restarted in spite of it, it is held again. A stop \
            waits no longer than the service has time itself. --for limits the hold, --timeout only how long to wait for it.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Option(help: "Why; others see it in 'belfryctl status'.")
    var reason: String

    @Option(
        name: .customLong("for"), help: ArgumentHelp("How long at most.", valueName: "time"), transform: TimeLimit.init)
    var limit: TimeLimit?

    @Argument(parsing: .postTerminator, help: "The command with its arguments, after '--'.")
    var command: [String] = []

    func validate() throws {
        if let time = limit?.duration, time <= .zero { throw ValidationError("a time to hold is more than 0") }
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        try await HoldSession(reason: reason, limit: limit?.duration, command: command, context).run()
    }
}
