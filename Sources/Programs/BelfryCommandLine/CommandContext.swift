// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
package import BelfryClient
package import BelfryEventLoop
package import BelfryLinux
import CBelfry
import Glibc
package import Varlink

/// What a command needs: the loop, the path of the socket, the standard streams.
@MainActor
package final class CommandContext {
    package let loop: MainEventLoop
    package let path: String
    package let style: TextStyle
    private let program: String
    private let limit: TimeLimit?

    /// - Parameters:
    ///   - program: the name of the program.
    ///   - path: the socket of the service.
    ///   - timeout: how long to wait for a reply; nil for the default of the command.
    package init(_ program: String, path: String, timeout: TimeLimit?) throws(SystemError) {
        loop = try MainEventLoop()
        self.program = program
        self.path = path
        style = TextStyle.fitting(STDOUT_FILENO, environment: Environment.variables)
        limit = timeout
    }

    /// Connects to the service.
    package func connect() throws(ClientFailure) -> ServiceClient { try ServiceClient(path, on: loop) }

    /// How long a command that only reads waits for a reply; nil for no limit.
    package var queryTimeout: Duration? { limit.map(\.duration) ?? .seconds(10) }

    /// How long a command that changes something waits. By default there is no limit: listeners have deadlines.
    package var changeTimeout: Duration? { limit?.duration }

    /// CLOCK_REALTIME in microseconds.
    package nonisolated static var now: Int64 { Int64(clamping: belfry_clock_usec(CLOCK_REALTIME)) }

    /// Prints lines of text.
    package func print(_ lines: [String]) { StandardStream.output.write(lines) }

    /// Prints a reply as one line of JSON.
    package func printJSON(_ reply: JSONObject) { print([JSONLine.text(reply)]) }

    /// Prints a reply as one line of JSON or as text.
    package func print(_ reply: JSONObject, json: Bool, as lines: (JSONObject, TextStyle) -> [String]) {
        if json { printJSON(reply) } else { print(lines(reply, style)) }
    }

    /// Names the listeners of a reply that failed, refused or were late on standard error.
    ///
    /// - Returns: 1 if there is one, else 0.
    package func report(_ reply: JSONObject) -> CommandStatus {
        let problems = ListenerReports.problems(reply)
        StandardStream.error.write(problems.map { "\(program): \($0)" })
        return problems.isEmpty ? .success : .failure
    }

    /// Prints a note on standard error.
    package func note(_ text: String) { StandardStream.error.write(["\(program): \(text)"]) }

    /// Warns of names that are probably misspelt. They are no errors: a service may define any name.
    package func warn(of names: [String]) {
        for name in names {
            guard let near = NotificationName.nearMiss(name, of: NotificationName.known) else { continue }
            note("watching for '\(name)', did you mean '\(near)'?")
        }
    }

    /// Runs the command and exits the loop with its status.
    package func finish(_ command: () async throws -> CommandStatus) async {
        let status: CommandStatus
        do { status = try await command() } catch { status = CommandStatus(reporting: error) }
        loop.exit(status.andOutput.rawValue)
    }
}

nonisolated extension CommandStatus {
    /// The status of a command that has thrown this, which is said on standard error.
    package init(reporting error: any Error) {
        switch error {
        case let failure as ClientFailure:
            StandardStream.error.write(failure.lines)
            self = failure.status
        default:
            StandardStream.error.write(["\(error)"])
            let isForbidden = (error as? SystemError).map { [EACCES, EPERM].contains($0.code) } ?? false
            self = isForbidden ? .permission : .system
        }
    }
}
