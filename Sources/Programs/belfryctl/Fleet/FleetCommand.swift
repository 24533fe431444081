// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import Glibc

/// `belfryctl fleet`.
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet", abstract: "Show and control the services of many hosts.",
        discussion: """
            Asks belfry-fleetd of this host at /run/belfry-fleet/io.belfry.Fleet, or at --socket. Exit status: 0 if all hosts \
            did what was asked for, 1 if one of them did not; otherwise as for the other commands.
            """,
        subcommands: [
            FleetListCommand.self, FleetWatchCommand.self, FleetHistoryCommand.self, FleetPostCommand.self,
            FleetPauseCommand.self, FleetResumeCommand.self, FleetReloadCommand.self, FleetContinueCommand.self,
            FleetCancelCommand.self,
        ])
}

/// A command for a fleet.
protocol FleetSubcommand: ServiceCommand {
    var options: FleetOptions { get }
}

extension FleetSubcommand {
    var connection: ConnectionOptions { options.connection }

    /// Whether to print JSON.
    var json: Bool { options.json }
}

/// The options of every command for a fleet.
struct FleetOptions: ParsableArguments {
    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print JSON, one object a line.")
    var json = false

    func validate() throws {
        guard connection.instance != nil else { return }
        throw ValidationError("--instance names an instance of belfryd on this host, use --hosts")
    }
}

/// A pattern for names of hosts.
enum HostPattern {
    /// Whether a name matches a pattern; every name matches nil.
    static func matches(_ name: String, _ pattern: String?) -> Bool {
        pattern.map { fnmatch($0, name, 0) == 0 } ?? true
    }
}
