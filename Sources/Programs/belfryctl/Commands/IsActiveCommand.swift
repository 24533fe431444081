// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import Varlink

/// `belfryctl is-active`.
struct IsActiveCommand: ReplyCommand {
    static let configuration = CommandConfiguration(
        commandName: "is-active", abstract: "Succeed if the service is active and its listeners work.",
        discussion: """
            Prints the state, and a line for each listener that is not healthy or whose last call failed; the exit \
            status is then 1. For the readiness probe of a container, and for scripts.
            """)

    @OptionGroup var options: NamedReplyOptions

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        let state = try await client.call("GetState", to: "get the state of", within: context.queryTimeout)
        let listeners = try await client.call(
            "ListListeners", to: "list the listeners of", within: context.queryTimeout)
        let problems = ListenerRecords.problems(listeners, of: state)
        var reply: JSONObject = ["state": state["state"] ?? "-", "problems": .array(problems.map { .string($0) })]
        reply["transition"] = state["transition"]
        context.print(reply, json: json) { [$1.state(of: state)] + problems }
        // Commands of a launch run while the state is `active` already.
        let isActive = state["state"] == "active" && TextStyle.passing(state) == nil
        return isActive && problems.isEmpty ? .success : .failure
    }
}
