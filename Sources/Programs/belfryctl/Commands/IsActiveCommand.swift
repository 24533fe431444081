// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import Varlink

/// `belfryctl is-active`.
struct IsActiveCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "is-active", abstract: "Succeed if the service is active and healthy.",
        discussion: "For the readiness probe of a container, and for scripts.")

    @OptionGroup var connection: ConnectionOptions

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        let state = try await client.call("GetState", to: "get the state of", within: context.queryTimeout)
        let listeners = try await client.call(
            "ListListeners", to: "list the listeners of", within: context.queryTimeout)
        let problems = listeners.objects("listeners").compactMap(Self.problem)
        try context.print([state.textOrDash("state")] + problems)
        return state.text("state") == "active" && problems.isEmpty ? .success : .failure
    }

    /// Nil for a listener that is healthy.
    private static func problem(_ listener: JSONObject) -> String? {
        guard let health = listener.text("health"), health != "healthy" else { return nil }
        return "\(listener.textOrDash("name")) is \(health): \(listener.textOrDash("healthReason"))"
    }
}
