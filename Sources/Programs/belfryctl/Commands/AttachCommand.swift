// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import BelfryEventLoop
import BelfryLinux
import Glibc

/// `belfryctl attach`. It becomes `belfry-listener`, which takes less memory, and checks the arguments.
struct AttachCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach", abstract: "Run a command for notifications, as a listener of the service.",
        discussion: """
            The command gets the notification as JSON on standard input, and as BELFRY_NOTIFICATION and other \
            variables. If it fails at willReload, the new configuration is refused, with the last line of its standard \
            error as the reason. Ends on SIGINT or SIGTERM, after the command that runs; a second signal ends that \
            too. Attaches again when the service restarts. --timeout limits each run; its default is 10s.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Argument(help: "The name of the listener.")
    var name: String

    @Option(
        name: .customLong("on"), parsing: .upToNextOption,
        help: ArgumentHelp("The notifications.", valueName: "notification"), completion: .notifications)
    var notifications: [String]

    @Option(
        parsing: .upToNextOption, help: ArgumentHelp("The listeners that it comes after.", valueName: "listener"),
        completion: .listeners)
    var follows: [String] = []

    @Flag(help: "Also run the command once after each attachment.")
    var runOnStart = false

    @Argument(parsing: .postTerminator, help: "The command with its arguments, after '--'.")
    var command: [String]

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        context.warn(of: notifications)
        var words = ["belfry-listener", name, "--socket", context.path]
        words += notifications.flatMap { ["--on", $0] } + follows.flatMap { ["--follows", $0] }
        if let time = context.changeTimeout { words += ["--timeout", "\(time.microseconds)us"] }
        words += (runOnStart ? ["--run-on-start"] : []) + ["--"] + command
        let program = Self.directory + "belfry-listener"
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        execv(program, &arguments)
        throw ClientFailure(SystemError.last(verb: "run", object: program))
    }

    /// The directory of this program, with a slash.
    static var directory: String {
        let path = FileContent.target(of: "/proc/self/exe") ?? ""
        return String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)) + "/"
    }
}
