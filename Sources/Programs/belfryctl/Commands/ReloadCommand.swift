// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import Varlink

/// `belfryctl reload`.
struct ReloadCommand: ReplyCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Reload the configuration, as SIGHUP does.",
        discussion: """
            Waits until the new configuration is in effect. If it is refused, the old one stays, each reason is \
            printed on standard error, and the exit status is 78. It is 1 if a listener failed or was late when it \
            applied the new one. With --dry-run the listeners only check it, and nothing changes.
            """)

    @OptionGroup var options: NamedReplyOptions

    @Flag(help: "Only check whether the new configuration would be accepted.")
    var dryRun = false

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        guard !dryRun else {
            let reply = try await client.call(
                "Reload", ["dryRun": true], to: "check the configuration of", within: context.changeTimeout)
            context.print(reply, json: json) { reply, _ in
                reply.objects("reports").map {
                    "\($0.textOrDash("listener")): \($0.textOrDash("outcome")), \($0.durationOrDash("durationUsec"))"
                } + ["the configuration would be accepted"]
            }
            return .success
        }
        let reply = try await client.call("Reload", to: "reload", within: context.changeTimeout)
        context.print(reply, json: json) { reply, _ in
            (StandardStream.output.isTerminal ? ["configuration reloaded"] : []) + ListenerReports.works(reply)
        }
        return context.report(reply)
    }
}
