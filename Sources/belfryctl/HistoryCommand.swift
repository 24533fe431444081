// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryConfiguration
import BelfryClient
import Varlink

/// `belfryctl history`.
struct HistoryCommand: JournalCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show what happened to the service, from the journal.",
        discussion: """
            One line for each notification, as 'belfryctl watch' shows them. The service need not run. Reading the journal \
            of a system service takes root or the group systemd-journal.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Argument(help: "Show only these notifications.", completion: .notifications)
    var names: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Not before: '2026-01-02 14:03', '14:03', 'today', 'yesterday', '-2h', '2h ago', '@1767358802'.",
            valueName: "time"))
    var since: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Not after.", valueName: "time"))
    var until: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only of this boot: an id, or 0 for this one, -1 for the one before.", valueName: "boot"))
    var boot: String?

    @Option(name: [.customShort("n"), .long], help: ArgumentHelp("Only the last so many.", valueName: "number"))
    var lines: Int?

    @OptionGroup var source: JournalSource

    @Flag(help: "Print one JSON object a line: {\"notification\":…}.")
    var json = false

    func validate() throws {
        try checkSource()
        for text in [since, until] {
            guard let text, TimestampText.parse(text, now: CommandContext.now) == nil else { continue }
            throw ValidationError("'\(text)' is no point in time")
        }
        if let boot, JournalBoot(boot) == nil {
            throw ValidationError("'\(boot)' is no boot, which is an id of 32 hexadecimal digits, or 0, -1, -2 …")
        }
        if let lines, lines < 0 { throw ValidationError("a number of lines is not negative") }
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        context.warn(of: names)
        var query = JournalQuery(service: JournalService(try await service(context)))
        query.names = names
        query.since = since.flatMap { TimestampText.parse($0, now: CommandContext.now) }
        query.until = until.flatMap { TimestampText.parse($0, now: CommandContext.now) }
        query.boot = boot.flatMap(JournalBoot.init)
        query.limit = lines
        let line = NotificationLine(context.style)
        try JournalReader().read(query) { notification in
            try context.print([
                json ? JSONLine.text(["notification": .object(notification)]) : line.line(notification)
            ])
        }
        return .success
    }
}
