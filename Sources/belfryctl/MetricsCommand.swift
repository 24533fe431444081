// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import Varlink

/// `belfryctl metrics`.
struct MetricsCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics", abstract: "Show the figures that the service keeps.",
        discussion: "They are those of io.systemd.Metrics, which systemd-report reads too.")

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print one JSON object: {\"metrics\":[…]}.")
    var json = false

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let client = try context.connect()
        let metrics = try await client.collect(
            "io.systemd.Metrics.List", to: "read the metrics of", within: context.looking)
        if json {
            try context.printJSON(["metrics": .array(metrics.map { .object($0) })])
        } else {
            try context.print(MetricTable.lines(metrics, context.style))
        }
        return .success
    }
}
