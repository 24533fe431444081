// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryClient
import BelfryEventLoop
import Glibc
import BelfryLinux
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

    /// CLOCK_REALTIME in microseconds.
    nonisolated static var now: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
    }

    /// Prints lines of text.
    func print(_ lines: [String]) throws { try StandardStream.output.write(lines) }

    /// Prints a reply as one line of JSON.
    func printJSON(_ reply: JSONObject) throws { try print([JSONLine.text(reply)]) }

    /// Prints a reply as one line of JSON, or as the lines of text that it comes to.
    func print(
        _ reply: JSONObject, json: Bool, as lines: (JSONObject, TextStyle) -> [String]
    ) throws {
        if json { try printJSON(reply) } else { try print(lines(reply, style)) }
    }

    /// Says on standard error what the operator is to know besides, if there is room for it.
    func note(_ text: String) { StandardStream.error.offer("belfryctl: \(text)") }

    /// Says which names of notifications are probably misspelt; they could be names of somebody's own.
    func warn(of names: [String]) {
        for name in names {
            guard let near = NotificationName.nearMiss(name, of: NotificationName.known) else { continue }
            note("watching for '\(name)', did you mean '\(near)'?")
        }
    }

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

    /// The variables that count.
    nonisolated static func environment() -> [String: String] {
        let names = [
            "BELFRY_SOCKET", "RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", "TMPDIR", "HOME", "NO_COLOR", "TERM",
        ]
        let pairs = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}
