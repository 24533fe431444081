// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import BelfryConfiguration
import BelfryLinux
import Varlink

/// `belfryctl post`.
struct PostCommand: ReplyCommand {
    static let configuration = CommandConfiguration(
        commandName: "post", abstract: "Post a notification to the service.",
        discussion: """
            Prints the sequence number of the notification. With --wait also prints the result and the outcome of each \
            listener; the exit status is then 1 if one of them failed or was late.
            """)

    @OptionGroup var options: ReplyOptions

    @Argument(
        help: "The notification: a letter, then letters, digits, '.' and '-'.",
        completion: .notifications)
    var name: String

    @Argument(
        help: ArgumentHelp(
            "User info: key=value or key:=JSON.",
            discussion:
                "A value that looks like a JSON number, true, false or null is taken as that, otherwise as text.",
            valueName: "key=value"))
    var userInfo: [String] = []

    @Flag(help: "Wait until all listeners have answered.")
    var wait = false

    func validate() throws {
        try UserInfoArguments.checkPost(of: name, userInfo)
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        var parameters: JSONObject = ["name": .string(name)]
        if wait { parameters["wait"] = true }
        return try await PostReply.request("Post", parameters, userInfo, to: "post", name, json: json, context)
    }
}

/// `belfryctl perform`.
struct PerformCommand: ReplyCommand {
    static let configuration = CommandConfiguration(
        commandName: "perform", abstract: "Request an action that a listener offers.",
        discussion: """
            Waits for the action, and prints the sequence number of the notification, the result and the outcome of \
            each listener. The exit status is 1 if one of them failed or was late.
            """, shouldDisplay: false)

    @OptionGroup var options: ReplyOptions

    @Argument(help: "The action; 'belfryctl actions' lists them.")
    var id: String

    @Argument(help: ArgumentHelp("User info, as for 'belfryctl post'.", valueName: "key=value"))
    var userInfo: [String] = []

    func validate() throws {
        try valid(UserInfoArguments.parse(userInfo))
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        try await PostReply.request(
            "PerformAction", ["id": .string(id)], userInfo, to: "perform", id, json: json, context)
    }
}

/// `belfryctl simulate`.
struct SimulateCommand: ReplyCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Try what listeners do when the system causes an event.",
        discussion: """
            Delivers the notification as if the system had caused it, and waits for the listeners. The journal says \
            that it was simulated. Prints what 'belfryctl perform' prints.
            """, shouldDisplay: false)

    @OptionGroup var options: ReplyOptions

    @Argument(help: "The notification: \(NotificationName.simulable.joined(separator: ", ")).")
    var name: String

    @Argument(help: ArgumentHelp("User info, as for 'belfryctl post'.", valueName: "key=value"))
    var userInfo: [String] = []

    func validate() throws {
        try UserInfoArguments.checkPost(of: name, userInfo)
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        try await PostReply.request(
            "Simulate", ["name": .string(name)], userInfo, to: "simulate", name, json: json, context)
    }
}

/// `belfryctl open`.
struct OpenCommand: ReplyCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Pass a URL to the listeners until one opens it.",
        discussion: """
            Prints the name of that listener; with --all, of the first of those that open it. The exit status is 1 if \
            no listener opens it.
            """, shouldDisplay: false)

    @OptionGroup var options: ReplyOptions

    @Argument(help: "The URL.")
    var url: String

    @Flag(help: "Pass it to every listener, whatever the others do.")
    var all = false

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        var parameters: JSONObject = ["url": .string(url)]
        if all { parameters["toAll"] = true }
        let client = try context.connect()
        let reply = try await client.call(
            "OpenURL", parameters, to: "open", url, within: context.changeTimeout)
        let handler = reply.text("handledBy")
        if json {
            context.printJSON(reply)
        } else if let handler {
            context.print([handler])
        } else {
            StandardStream.error.write(["unable to open '\(SystemError.escape(url))': no listener opened it"])
        }
        return handler == nil ? .failure : .success
    }
}

extension PostReply {
    /// Calls one of the two methods, and prints the reply. `verb` and `object` are for messages.
    @MainActor static func request(
        _ method: String, _ parameters: JSONObject, _ userInfo: [String] = [], to verb: String, _ object: String,
        json: Bool, _ context: CommandContext
    ) async throws -> CommandStatus {
        var parameters = parameters
        let members = try UserInfoArguments.parse(userInfo)
        if !members.isEmpty { parameters["userInfo"] = .object(members) }
        let client = try context.connect()
        let reply = try await client.call(method, parameters, to: verb, object, within: context.changeTimeout)
        context.print(reply, json: json, as: lines)
        return ListenerReports.haveProblem(reply) ? .failure : .success
    }
}
