// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import BelfryLinux
import Varlink

/// `belfryctl history`.
struct HistoryCommand: ReplyCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show past notifications of the service, from the journal.",
        discussion: """
            Prints one line for each notification, as 'belfryctl watch' does. The service need not run, and may be \
            named by its unit: 'video@1.service'. Root and members of the group systemd-journal can read the journal \
            of a system service. 'journalctl -u UNIT --since TIME' shows the records of some time.
            """)

    @OptionGroup var options: NamedReplyOptions

    @Option(
        name: .customLong("on"), parsing: .upToNextOption,
        help: ArgumentHelp("Show only these notifications.", valueName: "notification"), completion: .notifications)
    var names: [String] = []

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        help: ArgumentHelp("Show only the last notifications.", valueName: "number"))
    var lines: Int?

    @Flag(help: "Also show what listeners have logged about the notifications, and how their calls ended.")
    var records = false

    /// Refuses a negative number, and options that contradict each other.
    func validate() throws {
        if let lines, lines < 0 { throw ValidationError("--lines must not be negative") }
        if connection.timeout != nil { throw ValidationError("--timeout does not apply: no service is asked") }
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        context.warn(of: names)
        let unit = try unit(at: context.path)
        let line = NotificationLine(context.style)
        var isEmpty = true
        let isWanted = { !StandardStream.output.hasFailed }
        try JournalReader().read(JournalService(unit), names: names, limit: lines, while: isWanted) { entry in
            @MainActor func show(_ key: String, _ object: JSONObject, _ text: @autoclosure () -> String) {
                isEmpty = false
                context.print([json ? JSONLine.text([key: .object(object)]) : text()])
            }
            switch entry {
            case .notification(let one): show("notification", one, line.line(one))
            case .record(let one) where records: show("record", one, line.line(record: one))
            case .timeline(let timeline) where records:
                for one in timeline.calls(for: names) { show("call", one, line.line(call: one)) }
            case .record, .timeline: break
            }
        }
        if isEmpty, lines != 0 { context.note("the journal has no such notifications of \(SystemError.escape(unit))") }
        return .success
    }

    /// The unit of the service, which also is its name in the journal.
    private func unit(at path: String) throws(ClientFailure) -> String {
        if let name = connection.instance, name.hasSuffix(".service") { return name }
        if let unit = ServiceUnit(socket: path) { return unit.name }
        let text = "the unit of the service at '\(SystemError.escape(path))' is not known"
        throw ClientFailure(.usage, text, "give its name: 'belfryctl history NAME.service'")
    }
}
