// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryControl

/// `belfryctl plot`.
struct PlotCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "plot", abstract: "Draw how the last launch or stop went, listener by listener.",
        discussion: "It is read from the journal, so that the service need not run.")

    @OptionGroup var connection: ConnectionOptions

    @Argument(
        help: "launch or stop.", completion: .list(["launch", "stop"]))
    var transition = "launch"

    @Option(help: ArgumentHelp("The service, as the journal calls it (SYSLOG_IDENTIFIER).", valueName: "name"))
    var service = "belfryd"

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        guard ["launch", "stop"].contains(transition) else { throw ValidationError("expected launch or stop") }
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        guard let timeline = try JournalReader().lastTimeline(of: transition, service: service) else {
            throw ControlFailure(.unavailable, "unable to plot '\(transition)': the journal has none of \(service)")
        }
        try context.print(timeline, json: json, as: TimelinePlot.lines)
        return .success
    }
}
