// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryControl
import EventLoop
import Glibc
import SystemErrors
import Varlink

/// What a command works with: the loop, the service, the standard streams.
@MainActor
final class CommandContext {
    let loop: MainEventLoop
    let path: String
    let style: TextStyle
    private let limit: TimeLimit?

    init(_ connection: ConnectionOptions) throws(SystemError) {
        let environment = Self.environment()
        loop = try MainEventLoop()
        path = connection.path(environment: environment)
        style = TextStyle.fitting(STDOUT_FILENO, environment: environment)
        limit = connection.timeout
    }

    /// Connects to the service.
    func connect() throws(ControlFailure) -> ServiceClient { try ServiceClient(path, on: loop) }

    /// How long a command that only looks waits for an answer; nil is forever.
    var looking: Duration? { limit.map(\.duration) ?? .seconds(10) }

    /// How long a command that changes something waits; listeners have deadlines of their own.
    var changing: Duration? { limit?.duration }

    /// Prints lines of text.
    func print(_ lines: [String]) throws { try StandardStream.output.write(lines) }

    /// Prints a reply as one line of JSON.
    func printJSON(_ reply: VarlinkObject) throws { try print([VarlinkValue.object(reply).description]) }

    /// Runs the command and ends the loop with what it comes to.
    func finish(_ command: () async throws -> CommandStatus) async {
        loop.exit(await status(command).rawValue)
    }

    private func status(_ command: () async throws -> CommandStatus) async -> CommandStatus {
        do {
            return try await command()
        } catch let failure as ControlFailure {
            StandardStream.error.attempt(failure.lines)
            return failure.status
        } catch is OutputEnd {
            return .success
        } catch {
            StandardStream.error.attempt(["\(error)"])
            return .system
        }
    }

    private static func environment() -> [String: String] {
        let names = [
            "BELFRY_SOCKET", "RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", "TMPDIR", "HOME", "NO_COLOR", "TERM",
        ]
        let pairs = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}
