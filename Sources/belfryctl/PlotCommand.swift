// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient

/// `belfryctl plot`.
struct PlotCommand: JournalCommand {
    static let configuration = CommandConfiguration(
        commandName: "plot", abstract: "Draw how the last launch or stop went, listener by listener.",
        discussion: "It is read from the journal, so that the service need not run.")

    @OptionGroup var connection: ConnectionOptions

    @Argument(
        help: "launch or stop.", completion: .list(["launch", "stop"]))
    var transition = "launch"

    @OptionGroup var source: JournalSource

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        try checkSource()
        guard ["launch", "stop"].contains(transition) else { throw ValidationError("expected launch or stop") }
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let service = try await service(context)
        guard let timeline = try JournalReader().lastTimeline(of: transition, service: JournalService(service)) else {
            let name = OutsideText.line(service)
            throw ControlFailure(.unavailable, "unable to plot '\(transition)': the journal has none of \(name)")
        }
        try context.print(timeline, json: json, as: TimelinePlot.lines)
        return .success
    }
}
