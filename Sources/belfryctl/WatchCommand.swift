// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryConfiguration
import BelfryControl
import EventLoop
import Glibc
import SystemErrors
import Varlink

/// `belfryctl watch`.
struct WatchCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show what happens to the service, as it happens.",
        discussion: """
            Prints where the service is, and then a line for each notification. When the service goes away, waits for \
            it and goes on where it was; a service that was stopped is not started by this. Ends with SIGINT, SIGTERM, \
            or when nobody reads the output any more.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Argument(
        help: "Show only these notifications.", completion: .notifications)
    var names: [String] = []

    @Option(help: ArgumentHelp("Show first what came after this number.", valueName: "sequence"))
    var after: Int64?

    @Flag(help: "Print one JSON object a line: {\"state\":…}, then {\"notification\":…} each.")
    var json = false

    @Flag(help: "Wait for a service that cannot be reached yet.")
    var wait = false

    func validate() throws {
        do {
            for name in names { _ = try NotificationName.parse(name) }
        } catch {
            throw ValidationError(error.message)
        }
        if let after, after < 0 { throw ValidationError("a sequence number is not negative") }
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        Self.warn(of: names)
        let subject = Watch.Subject(path: context.path, names: names, after: after, isAwaited: wait)
        return try await WatchSession(subject, json: json, context).run()
    }

    /// Says which names are probably misspelt; they could be names of somebody's own.
    static func warn(of names: [String]) {
        for name in names {
            guard let near = NotificationName.nearMiss(name, of: NotificationName.known) else { continue }
            StandardStream.error.attempt(["belfryctl: watching for '\(name)', did you mean '\(near)'?"])
        }
    }
}
