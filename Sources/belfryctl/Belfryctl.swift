// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryConfiguration

/// The command itself; what it does is in its subcommands.
struct Belfryctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "belfryctl",
        abstract: "Look at a service's life, and have a say in it.",
        discussion: """
            Exit status: 0 done; 1 done, but a listener failed; 64 usage; 69 the service cannot be reached, or there is no journal; \
            71 system error; 77 permission denied; 78 the configuration was refused.
            """,
        version: "belfryctl \(ReleaseVersion.current)",
        groupedSubcommands: [
            CommandGroup(
                name: "Inspection",
                subcommands: [
                    StatusCommand.self, WatchCommand.self, WaitCommand.self, HistoryCommand.self, PlotCommand.self,
                    ListenersCommand.self, ActionsCommand.self, SignalsCommand.self, ExplainCommand.self,
                    MetricsCommand.self,
                ]),
            CommandGroup(
                name: "Control",
                subcommands: [
                    RehearseCommand.self, PostCommand.self, FlushCommand.self, PerformCommand.self, OpenCommand.self,
                    PauseCommand.self,
                    ResumeCommand.self, InterruptCommand.self, HoldCommand.self, ReloadCommand.self,
                    LogLevelCommand.self,
                ]),
        ])

    @OptionGroup var connection: ConnectionOptions
}
