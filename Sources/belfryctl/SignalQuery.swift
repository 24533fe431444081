// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import Varlink

/// A question about what one signal would do. `explain` and `rehearse` have these arguments.
struct SignalQuery: ParsableArguments {
    @Argument(
        help: "The signal: TERM, SIGUSR1, RTMIN+5.", completion: SignalArgument.completion,
        transform: SignalArgument.init)
    var signal: SignalArgument

    @Flag(help: "Print the reply as one JSON object.")
    var json = false

    /// Asks the service, and prints what it says.
    @MainActor func ask(
        _ method: String, within limit: Duration?, _ context: CommandContext,
        as lines: (JSONObject, TextStyle) -> [String]
    ) async throws -> JSONObject {
        let client = try context.connect()
        let reply = try await client.call(
            method, ["signal": .string(signal.name)], to: method.lowercased(), signal.name, within: limit)
        try context.print(reply, json: json, as: lines)
        return reply
    }
}
