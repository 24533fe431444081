// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import BelfryConfiguration
import BelfryJSON
import BelfryLinux
import Glibc

/// The command and its subcommands.
struct BelfryFleet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "belfry-fleet", abstract: "Show and control the services of many hosts.",
        discussion: """
            Asks belfry-fleetd of this host. Exit status: 0 if all hosts did what was asked for, 1 if one of them did not; 64 \
            usage; 69 belfry-fleetd or the broker cannot be reached; 71 system error; 77 permission denied.
            """,
        version: "belfry-fleet \(ReleaseVersion.current)",
        subcommands: [
            FleetListCommand.self, FleetWatchCommand.self, FleetHistoryCommand.self, FleetPostCommand.self,
            FleetPauseCommand.self, FleetResumeCommand.self, FleetReloadCommand.self, FleetContinueCommand.self,
            FleetCancelCommand.self,
        ])

    @OptionGroup var connection: FleetConnection
}

/// A command for a fleet.
protocol FleetCommand: LoopCommand {
    var options: FleetOptions { get }
}

extension FleetCommand {
    @MainActor func context() throws(SystemError) -> CommandContext { try options.connection.context() }

    /// How long to wait for hosts.
    var timeout: TimeLimit? { options.connection.timeout }

    /// Whether to print JSON.
    var json: Bool { options.json }
}

/// The options of every command.
struct FleetConnection: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The socket of belfry-fleetd.", discussion: "Default: \(FleetClient.socket).", valueName: "path"))
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "How long to wait for a reply, or for hosts: '5s', '1min'.",
            discussion: "Default: 10s for commands that only read; commands to hosts have limits of their own.",
            valueName: "time"),
        transform: TimeLimit.init)
    var timeout: TimeLimit?

    /// What a command needs.
    @MainActor func context() throws(SystemError) -> CommandContext {
        let path = socket.flatMap { $0.isEmpty ? nil : $0 } ?? FleetClient.socket
        return try CommandContext("belfry-fleet", path: path, timeout: timeout)
    }
}

/// The options of every command, and the form of its output.
struct FleetOptions: ParsableArguments {
    @OptionGroup var connection: FleetConnection

    @Flag(help: "Print JSON, one object a line.")
    var json = false
}

extension CompletionKind {
    /// The names of notifications that every service has.
    static var notifications: CompletionKind { .list(NotificationName.known) }

    /// The hosts of the fleet.
    static var hosts: CompletionKind {
        .custom { words, _, _ in
            MainActor.assumeIsolated {
                let given = CompletionWords.last(of: ["--socket"], in: words)
                guard let connection = try? FleetConnection.parse(given), let context = try? connection.context() else {
                    return []
                }
                let hosts = CompletionWords.reply(to: FleetClient.full("List"), context).objects("hosts")
                return CompletionWords.plain(hosts.lazy.compactMap { $0["name"]?.stringValue })
            }
        }
    }
}
