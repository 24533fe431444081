// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import Varlink

/// `belfryctl perform`.
struct PerformCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "perform", abstract: "Have an action done that a listener offers.",
        discussion: """
            Waits for it, and prints the number of the notification, the result, and what each listener made of it. The \
            exit status is 1 when one of them failed.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Argument(help: "The action; 'belfryctl actions' lists them.", completion: .actions)
    var id: String

    @Argument(help: ArgumentHelp("User info, as for 'belfryctl post'.", valueName: "key=value"))
    var userInfo: [String] = []

    @Flag(help: "Print the reply as one JSON object.")
    var json = false

    func validate() throws {
        do {
            _ = try UserInfoArguments.parse(userInfo)
        } catch {
            throw ValidationError(error.description)
        }
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        var parameters: JSONObject = ["id": .string(id)]
        let members = try UserInfoArguments.parse(userInfo)
        if !members.isEmpty { parameters["userInfo"] = .object(members) }
        let client = try context.connect()
        let reply = try await client.call("PerformAction", parameters, to: "perform", id, within: context.changing)
        try context.print(reply, json: json, as: PostText.lines)
        return PostText.hasFailed(reply) ? .failure : .success
    }
}
