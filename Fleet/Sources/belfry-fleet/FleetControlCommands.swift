// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import Varlink

/// `belfry-fleet post`.
struct FleetPostCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "post", abstract: "Post a notification to the services of the hosts.",
        discussion: """
            Prints a line for each host when it has answered, and for each that has not by --timeout (default: 30s). With \
            --wait also prints the outcome of each listener of a host.
            """)

    @OptionGroup var options: FleetOptions

    @Argument(
        help: "The notification: a letter, then letters, digits, '.' and '-'.",
        completion: .notifications)
    var name: String

    @Argument(help: ArgumentHelp("User info, as for 'belfryctl post'.", valueName: "key=value"))
    var userInfo: [String] = []

    @OptionGroup var target: RollingTarget

    @Flag(help: "Show the outcomes of the listeners.")
    var wait = false

    func validate() throws {
        try UserInfoArguments.checkPost(of: name, userInfo)
        try target.check(timeout)
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        var order = FleetOrder("post", name)
        let members = try UserInfoArguments.parse(userInfo)
        if !members.isEmpty { order.parameters["userInfo"] = .object(members) }
        return try await target.run(order, showsReports: wait, options, context)
    }
}

/// `belfry-fleet pause`.
struct FleetPauseCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause the services of the hosts.",
        discussion: """
            Prints a line for each host. With --rolling, pauses and resumes one host after the other; --for says how long \
            each is paused.
            """)

    @OptionGroup var options: FleetOptions

    @OptionGroup var target: RollingTarget

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("With --rolling: how long each host is paused.", valueName: "time"),
        transform: TimeLimit.init)
    var pause: TimeLimit?

    func validate() throws {
        try target.check(timeout)
        guard (pause == nil) == (target.rolling == nil) else {
            throw ValidationError("--rolling and --for are used together: each host is paused for that time")
        }
        if let pause, pause.duration == nil { throw ValidationError("--for must not be infinity") }
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        var order = FleetOrder("pause")
        order.parameters["pauseUsec"] = FleetTimeout.parameter(pause)
        return try await target.run(order, options, context)
    }
}

/// `belfry-fleet resume`.
struct FleetResumeCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Continue the services of the hosts after a pause.",
        discussion: "Prints a line for each host.")

    @OptionGroup var options: FleetOptions

    @OptionGroup var selection: HostsOption

    func validate() throws {
        try selection.checkIsGiven()
        try FleetTimeout.check(timeout)
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        try await FleetOrder("resume").send(to: selection.hosts, options, context)
    }
}

/// `belfry-fleet reload`.
struct FleetReloadCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Reload the configuration of the services of the hosts.",
        discussion: "Prints a line for each host. A host whose configuration is refused has failed.")

    @OptionGroup var options: FleetOptions

    @OptionGroup var target: RollingTarget

    func validate() throws { try target.check(timeout) }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        try await target.run(FleetOrder("reload"), options, context)
    }
}

/// `belfry-fleet continue`.
struct FleetContinueCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "continue", abstract: "Go on with the rolling command that stopped.",
        discussion: "Begins with the host at which it stopped, if that is active, and prints each step.")

    @OptionGroup var options: FleetOptions

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        try await FleetRoll.run("Continue", [:], to: "continue", "rolling command", options, context)
    }
}

/// `belfry-fleet cancel`.
struct FleetCancelCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "End the rolling command that runs or has stopped.",
        discussion: "The hosts that it has reached stay as they are.")

    @OptionGroup var options: FleetOptions

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let reply = try await FleetClient(context)
            .call("Cancel", to: "cancel", "rolling command", within: context.queryTimeout)
        if json { context.printJSON(reply) }
        return .success
    }
}
