// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import Varlink

/// `belfryctl flush`.
struct FlushCommand: ReplyCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush", abstract: "Flush the caches, and wait until that is done.",
        discussion: "The same as 'post --wait flushRequested', and prints what was freed. SIGUSR1 flushes them too.")

    @OptionGroup var options: NamedReplyOptions

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let name = "flushRequested"
        let client = try context.connect()
        let reply = try await client.call(
            "Post", ["name": .string(name), "wait": true], to: "post", name, within: context.changeTimeout)
        context.print(reply, json: json) { PostReply.lines($0, $1) + Self.files($0, $1) }
        return ListenerReports.haveProblem(reply) ? .failure : .success
    }

    /// The files that a dry run would delete.
    private static func files(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        let details = reply.objects("reports").compactMap { $0["details"]?.objectValue }
        return details.flatMap { $0.objects("caches") }.flatMap { $0.texts("files") }.map { style.dim("    \($0)") }
    }
}
