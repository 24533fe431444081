// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryConfiguration
import Glibc

/// A command that speaks with the service.
protocol ServiceCommand: ParsableCommand, Sendable {
    /// Where the service is.
    var connection: ConnectionOptions { get }

    /// Does it, on the main thread's loop.
    ///
    /// - Throws: `ControlFailure`, or `OutputEnd` when nobody reads the output any more.
    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus
}

/// Where the service is, and how long to wait for it. Every command has these.
struct ConnectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The socket of the service; '@NAME' is an abstract one.",
            discussion: """
                Without it $BELFRY_SOCKET, then io.belfry.Lifecycle in $RUNTIME_DIRECTORY, /run/belfry, \
                $XDG_RUNTIME_DIR/belfry or a private directory under $TMPDIR.
                """, valueName: "path"),
        completion: .file())
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "How long to wait for an answer: '5s', '1min', 'infinity'.",
            discussion: "Without it 10s for commands that look, and no limit for those that have a say.",
            valueName: "time"),
        transform: TimeLimit.init)
    var timeout: TimeLimit?

    /// Whether it was said which socket.
    func namesSocket(environment: [String: String]) -> Bool {
        [socket, environment["BELFRY_SOCKET"]].contains { $0.map { !$0.isEmpty } ?? false }
    }

    /// The path that a command connects to.
    func path(environment: [String: String]) -> String {
        if let socket, !socket.isEmpty { return socket }
        return RuntimePaths(environment: environment, uid: geteuid()).clientSocketPath { access($0, F_OK) == 0 }
    }
}

/// A limit for waiting as systemd.time(7) writes it.
struct TimeLimit: Sendable {
    /// Nil for `infinity`.
    let duration: Duration?

    init(_ text: String) throws {
        do {
            duration = try TimeSpanText.parse(text)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
