// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient

/// `belfryctl watch`.
struct WatchCommand: WatchingCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show what happens to the service, as it happens.",
        discussion: """
            Prints where the service is, and then a line for each notification. When the service goes away, waits for \
            it and goes on where it was; a service that was stopped is not started by this. Ends with SIGINT, SIGTERM, \
            or when nobody reads the output any more. --timeout limits only how long to wait for where the service is.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Argument(
        help: "Show only these notifications.", completion: .notifications)
    var names: [String] = []

    @Option(help: ArgumentHelp("Show first what came after this number.", valueName: "sequence"))
    var after: Int64?

    @Flag(help: "Print one JSON object a line: {\"state\":…}, then {\"notification\":…} each.")
    var json = false

    @Flag(help: "Wait for a service that cannot be reached yet.")
    var wait = false

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let session = try WatchSession(subject(isAwaited: wait, context), json: json, context)
        if let limit = context.changing {
            try session.limit(limit, ControlFailure(noAnswerIn: limit, to: "watch", context.path))
        }
        return try await session.run()
    }
}
