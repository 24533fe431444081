// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine

/// `belfry-fleet list`.
struct FleetListCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the hosts and their states.",
        discussion: """
            A host that should have reported, but has not, is unknown; AGE says how long ago its last report was.
            """)

    @OptionGroup var options: FleetOptions

    @OptionGroup var selection: HostsOption

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let hosts = try await FleetClient(context).hosts(selection.hosts)
        context.print(hosts.reply, json: json) { hosts.lines($1) }
        return .success
    }
}
