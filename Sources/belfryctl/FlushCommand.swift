// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import Varlink

/// `belfryctl flush`.
struct FlushCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush", abstract: "Have the caches flushed, and wait until that is done.",
        discussion: "The same as 'post --wait flushRequested', and as the signal SIGUSR1.")

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print the reply as one JSON object.")
    var json = false

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        try await PostCommand.post("flushRequested", [:], wait: true, json: json, context)
    }
}
