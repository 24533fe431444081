// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import ArgumentParser
internal import Belfry
internal import BelfryConfiguration

/// What the command line says.
struct Belfryd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "belfryd",
        abstract: "Turns what happens to a Linux service into lifecycle notifications.",
        discussion: "Runs in the foreground until it is told to stop (SIGTERM, SIGINT). See belfryctl for what it does.",
        version: "belfryd \(BelfryVersion.current)"
    )

    @Option(
        name: .customLong("config"),
        help: ArgumentHelp("Read this file alone; repeat it for more, later ones over earlier ones.", valueName: "file"))
    var configurationFiles: [String] = []

    @Option(
        name: .customLong("socket"),
        help: ArgumentHelp("Listen here; '@NAME' is an abstract address.", valueName: "path"))
    var socketPath: String?

    @Flag(name: .customLong("check-config"), help: "Check the configuration, say all that is wrong, and exit.")
    var checksConfiguration = false

    @Flag(name: .customLong("print-config"), help: "Print what holds and where it was set, and exit.")
    var printsConfiguration = false

    @Option(help: ArgumentHelp("The least urgent level that is logged, emerg to debug.", valueName: "level"))
    var logLevel: String?

    func validate() throws {
        if let logLevel, LogPriority(logLevel) == nil {
            throw ValidationError("unknown level '\(logLevel)', expected one of \(LogPriority.names.joined(separator: ", "))")
        }
    }
}
