// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryConfiguration
import BelfryClient
import Varlink

/// `belfryctl post`.
struct PostCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "post", abstract: "Post a notification to the service.",
        discussion: """
            Prints the number of the notification. With --wait also the result, and what each listener made of it; the \
            exit status is then 1 when one of them failed.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Argument(
        help: "The notification: a letter, then letters, digits, '.' and '-'.",
        completion: .notifications)
    var name: String

    @Argument(
        help: ArgumentHelp(
            "User info: key=value or key:=JSON.",
            discussion: "A value that looks like a JSON number, true, false or null is that, and text otherwise.",
            valueName: "key=value"))
    var userInfo: [String] = []

    @Flag(help: "Wait until all listeners have answered.")
    var wait = false

    @Flag(help: "Print the reply as one JSON object.")
    var json = false

    func validate() throws {
        do {
            _ = try NotificationName.parse(name)
            _ = try UserInfoArguments.parse(userInfo)
        } catch let problem as ValueProblem {
            throw ValidationError(problem.message)
        } catch let problem as UserInfoArguments.Problem {
            throw ValidationError(problem.description)
        }
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let members = try UserInfoArguments.parse(userInfo)
        return try await PostCommand.post(name, members, wait: wait, json: json, context)
    }

    /// Posts, and prints what came of it.
    @MainActor static func post(
        _ name: String, _ members: JSONObject, wait: Bool, json: Bool, _ context: CommandContext
    ) async throws -> CommandStatus {
        var parameters: JSONObject = ["name": .string(name)]
        if !members.isEmpty { parameters["userInfo"] = .object(members) }
        if wait { parameters["wait"] = true }
        let client = try context.connect()
        let reply = try await client.call("Post", parameters, to: "post", name, within: context.changing)
        try context.print(reply, json: json, as: PostText.lines)
        return PostText.hasFailed(reply) ? .failure : .success
    }
}
