// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import Varlink

/// A command that leads the service to another state, and prints which one it has reached.
protocol TransitionCommand: ServiceCommand {
    /// The method of `io.belfry.Lifecycle`.
    static var method: String { get }
    /// Whether the reply is printed as it came.
    var json: Bool { get }
}

extension TransitionCommand {
    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        let reply = try await client.call(Self.method, to: Self.method.lowercased(), within: context.changing)
        try context.print(reply, json: json) { reply, style in
            [style.state(reply.textOrDash("state"))]
        }
        return .success
    }
}
