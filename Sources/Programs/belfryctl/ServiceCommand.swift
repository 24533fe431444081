// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import BelfryConfiguration
import BelfryLinux
import Glibc

/// A command for a service.
protocol ServiceCommand: LoopCommand {
    /// Where the service is.
    var connection: ConnectionOptions { get }
}

extension ServiceCommand {
    @MainActor func context() throws(SystemError) -> CommandContext { try connection.context() }
}

/// The options of every command.
struct ConnectionOptions: ParsableArguments {
    @Option(
        name: [.customShort("i"), .long],
        help: ArgumentHelp("The instance of belfryd: 'video' for belfryd@video.service.", valueName: "name"),
        completion: .applications, transform: Self.instance)
    var instance: String?

    @Option(
        help: ArgumentHelp(
            "The socket of the service; '@NAME' is an abstract address.",
            discussion: """
                Default: $BELFRY_SOCKET, then io.belfry.Lifecycle in $RUNTIME_DIRECTORY, /run/belfry, \
                $XDG_RUNTIME_DIR/belfry or a private directory under $TMPDIR.
                """, valueName: "path"))
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "How long to wait for a reply: '5s', '1min', 'infinity'.",
            discussion: "Default: 10s for commands that only read, no limit for commands that change something.",
            valueName: "time"),
        transform: TimeLimit.init)
    var timeout: TimeLimit?

    func validate() throws {
        guard socket != nil, instance != nil else { return }
        throw ValidationError("--socket and --instance both name the service, use one of them")
    }

    /// What a command for this service needs.
    @MainActor func context() throws(SystemError) -> CommandContext {
        try CommandContext(
            "belfryctl", path: path(environment: Environment.variables), timeout: timeout)
    }

    /// Whether a socket is named.
    func namesSocket(environment: [String: String]) -> Bool {
        instance == nil && [socket, environment["BELFRY_SOCKET"]].contains { $0.map { !$0.isEmpty } ?? false }
    }

    /// The path that a command connects to.
    func path(environment: [String: String]) -> String {
        if let socket, !socket.isEmpty { return socket }
        var environment = environment
        if instance != nil {
            // They name another service.
            environment["BELFRY_SOCKET"] = nil
            environment["RUNTIME_DIRECTORY"] = nil
        }
        let name = InstanceName.full(RuntimePaths.belfry, instance)
        return RuntimePaths(environment: environment, uid: geteuid(), name: name)
            .clientSocketPath { access($0, F_OK) == 0 }
    }

    private static func instance(_ text: String) throws -> String {
        try valid(InstanceName.parse(text))
    }
}

/// A command that prints a reply, as text or as JSON.
protocol ReplyCommand: ServiceCommand {
    var options: ReplyOptions { get }
}

extension ReplyCommand {
    var connection: ConnectionOptions { options.connection }

    /// Whether to print the reply as JSON.
    var json: Bool { options.json }
}

/// The options of a command that prints a reply.
struct ReplyOptions: ParsableArguments {
    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print one JSON object.")
    var json = false
}
