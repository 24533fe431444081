// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryLinux
import Varlink

/// `belfryctl open`.
struct OpenCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Have a URL opened by the first listener that will.",
        discussion: "Prints which one did. The exit status is 1 when none would.")

    @OptionGroup var connection: ConnectionOptions

    @Argument(help: "The URL.")
    var url: String

    @Flag(help: "Print the reply as one JSON object.")
    var json = false

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        let reply = try await client.call("OpenURL", ["url": .string(url)], to: "open", url, within: context.changing)
        let handler = reply.text("handledBy")
        if json {
            try context.printJSON(reply)
        } else if let handler {
            try context.print([handler])
        } else {
            StandardStream.error.attempt(["unable to open '\(SystemError.escape(url))': no listener would"])
        }
        return handler == nil ? .failure : .success
    }
}
