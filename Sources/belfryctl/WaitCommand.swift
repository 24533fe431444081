// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient

/// `belfryctl wait`.
struct WaitCommand: WatchingCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait for the next notification of a name, and show it.",
        discussion: """
            With several names the first of them ends the wait. A restart of the service does not. With --timeout it ends \
            with status 69 when nothing came in that time.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Argument(help: "The notifications.", completion: .notifications)
    var names: [String]

    @Option(help: ArgumentHelp("Take one that came after this number already.", valueName: "sequence"))
    var after: Int64?

    @Flag(help: "Print {\"notification\":…}.")
    var json = false

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let session = try WatchSession(subject(isAwaited: true, context), json: json, count: 1, context)
        if let limit = context.changing {
            let what = names.joined(separator: ", ")
            try session.limit(
                limit,
                ControlFailure(
                    .unavailable, "unable to wait for '\(what)': nothing came in \(DurationText.text(limit))"))
        }
        return try await session.run()
    }
}
