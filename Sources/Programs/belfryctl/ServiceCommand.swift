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

    /// The same for the service that an argument names: `redis` or `belfryd@redis` for the instance, `belfryd` for the
    /// one whose instance has no name.
    func naming(_ name: String?) -> ConnectionOptions {
        guard let name else { return self }
        var options = self
        options.instance = name == "belfryd" ? "" : name.hasPrefix("belfryd@") ? String(name.dropFirst(8)) : name
        return options
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
        func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
        let name = InstanceName.full(RuntimePaths.belfry, instance)
        let path = RuntimePaths(environment: environment, uid: geteuid(), name: name).clientSocketPath(exists: exists)
        // A service that was built on the library has a directory of its own name.
        let own = instance.map { "/run/\($0)/\(ServiceClient.interface)" } ?? path
        return !exists(path) && exists(own) ? own : path
    }

    fileprivate static func instance(_ text: String) throws -> String {
        try valid(InstanceName.parse(text))
    }
}

/// A command that prints a reply, as text or as JSON.
protocol ReplyCommand: ServiceCommand {
    associatedtype Options: ReplyingOptions
    var options: Options { get }
}

extension ReplyCommand {
    var connection: ConnectionOptions { options.connection }

    /// Whether to print the reply as JSON.
    var json: Bool { options.json }
}

/// The options of a command that prints a reply.
protocol ReplyingOptions: ParsableArguments {
    var connection: ConnectionOptions { get }
    var json: Bool { get }
}

/// Those of a command whose arguments are not the service.
struct ReplyOptions: ReplyingOptions {
    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print one JSON object.")
    var json = false
}

/// Those of a command whose argument is the service.
struct NamedReplyOptions: ReplyingOptions {
    @OptionGroup var others: ReplyOptions

    @Argument(
        help: "The application, instance or service; 'belfryd' is the one without an instance.",
        completion: .applications, transform: ConnectionOptions.instance)
    var name: String?

    var connection: ConnectionOptions { others.connection.naming(name) }
    var json: Bool { others.json }

    func validate() throws {
        guard let name, others.connection.socket ?? others.connection.instance != nil else { return }
        throw ValidationError("'\(name)' and an option both name the service, use one of them")
    }
}
