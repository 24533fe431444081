// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryConfiguration

/// The command and its subcommands.
struct Belfryctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "belfryctl",
        abstract: "Inspect and control the lifecycle of a service.",
        discussion: """
            A service is started and stopped with systemctl(1). Exit status: 0 success; 1 a listener failed, the \
            service is not active, or something is wrong; 64 usage; 69 the service cannot be reached, or there is no \
            journal; 71 system error; 75 the service was not held all the time; 77 permission denied; 78 the \
            configuration was refused.
            """,
        version: "belfryctl \(ReleaseVersion.current)",
        groupedSubcommands: [
            CommandGroup(
                name: "Inspection",
                subcommands: [
                    StatusCommand.self, ListCommand.self, IsActiveCommand.self, WatchCommand.self, WaitCommand.self,
                    HistoryCommand.self,
                    ListenersCommand.self, ActionsCommand.self, SignalsCommand.self, ExplainCommand.self,
                    MetricsCommand.self,
                ]),
            CommandGroup(
                name: "Applications",
                subcommands: [EnableCommand.self, DisableCommand.self, CheckCommand.self]),
            CommandGroup(
                name: "Control",
                subcommands: [
                    PostCommand.self, FlushCommand.self, SimulateCommand.self, PerformCommand.self, OpenCommand.self,
                    PauseCommand.self, ResumeCommand.self, InterruptCommand.self, HoldCommand.self, AttachCommand.self,
                    ReloadCommand.self,
                ]),
        ])

    @OptionGroup var connection: ConnectionOptions
}
