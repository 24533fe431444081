// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import Varlink

/// A command that shows what the service has of one kind.
protocol ListCommand: ServiceCommand {
    /// The method of `io.belfry.Lifecycle`.
    static var method: String { get }
    /// What it lists, for messages.
    static var subject: String { get }
    /// The reply as text.
    @MainActor static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String]
    /// Whether the reply is printed as it came.
    var json: Bool { get }
}

extension ListCommand {
    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        let reply = try await client.call(Self.method, to: "list the \(Self.subject) of", within: context.looking)
        try context.print(reply, json: json, as: Self.lines)
        return .success
    }
}
