// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import BelfryConfiguration
import BelfryLinux
import Varlink

/// `belfryctl history`.
struct HistoryCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show past notifications of the service, from the journal.",
        discussion: """
            Prints one line for each notification, as 'belfryctl watch' does. The service need not run. Root and \
            members of the group systemd-journal can read the journal of a system service. \
            'journalctl -u UNIT --since TIME' shows the records of some time.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Argument(help: "Show only these notifications.", completion: .notifications)
    var names: [String] = []

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        help: ArgumentHelp("Show only the last notifications.", valueName: "number"))
    var lines: Int?

    @Option(
        help: ArgumentHelp(
            "The name of the service in the journal (SYSLOG_IDENTIFIER), or its unit: 'video@1.service'.",
            discussion: """
                Default: the service at --socket or $BELFRY_SOCKET, which must be running so that it can be asked for \
                its name; otherwise belfryd, or its --instance.
                """, valueName: "name"))
    var service: String?

    @Flag(help: "Also show what listeners have logged about the notifications, and how their calls ended.")
    var records = false

    @Flag(help: "Print one JSON object a line: {\"notification\":…}, {\"record\":…} or {\"call\":…}.")
    var json = false

    /// Refuses a negative number, and options that contradict each other.
    func validate() throws {
        if let lines, lines < 0 { throw ValidationError("--lines must not be negative") }
        if connection.socket ?? connection.instance != nil, service != nil {
            let option = connection.socket == nil ? "--instance" : "--socket"
            throw ValidationError("\(option) and --service both name the service, use one of them")
        }
        if connection.timeout != nil, !isAsked(environment: Environment.variables) {
            throw ValidationError("--timeout applies only when the service is asked for its name, use it with --socket")
        }
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        context.warn(of: names)
        var query = JournalQuery(service: JournalService(try await serviceName(context)))
        query.names = names
        query.limit = lines
        let line = NotificationLine(context.style)
        try JournalReader().read(query, while: { !StandardStream.output.hasFailed }) { entry in
            switch entry {
            case .notification(let notification):
                context.print([
                    json ? JSONLine.text(["notification": .object(notification)]) : line.line(notification)
                ])
            case .record(let record) where records:
                context.print([json ? JSONLine.text(["record": .object(record)]) : line.line(record: record)])
            case .timeline(let timeline) where records:
                context.print(
                    timeline.calls(for: names).map { json ? JSONLine.text(["call": .object($0)]) : line.line(call: $0) }
                )
            case .record, .timeline: break
            }
        }
        return .success
    }

    /// The name of the service in the journal. A service whose socket is given is asked for its name.
    @MainActor private func serviceName(_ context: CommandContext) async throws(ClientFailure) -> String {
        guard isAsked(environment: Environment.variables) else {
            return service ?? InstanceName.full("belfryd", connection.instance)
        }
        do throws(ClientFailure) {
            let state = try await context.connect().call(
                "GetState", to: "get the name of", within: context.queryTimeout)
            guard let name = state["service"]?.stringValue, name.utf8.count <= 255 else {
                throw ClientFailure(.unavailable, "unable to get the name of '\(context.path)': it did not give one")
            }
            return name
        } catch {
            throw error.with("use --service to give its name in the journal instead")
        }
    }

    private func isAsked(environment: [String: String]) -> Bool {
        service == nil && connection.namesSocket(environment: environment)
    }
}
