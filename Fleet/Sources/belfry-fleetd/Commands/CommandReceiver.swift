// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryListeners
import BelfryEventLoop
import BelfryJSON
import BelfryLinux
import BelfrySystemd
import Glibc
import Logging

/// Receives the commands of other hosts and of operators. What it does with them is decided by `CommandLedger`, which is stored
/// before anything is done.
final class CommandReceiver {
    /// How many messages are looked at in a second. Further ones are ignored.
    private static let messagesPerSecond = 100

    private let accepts: (FleetCommand.Action, String) -> Bool
    private let services: ServiceCommands
    private let replays: NotificationReplays
    private let file: StateFile
    private let answer: (FleetReply, _ sender: String) -> Void
    private let logger = Logger(label: "belfry-fleetd.commands")
    private var ledger: CommandLedger
    private var second: Int64 = 0
    private var messages = 0

    /// - Parameters:
    ///   - accepts: whether a sender may have this done.
    ///   - directory: where the record of commands is stored.
    ///   - answer: sends an answer.
    /// - Throws: when the record of an earlier process cannot be read. Without it a command might be done twice.
    init(
        accepts: @escaping (FleetCommand.Action, String) -> Bool, directory: String, services: ServiceCommands,
        replays: NotificationReplays, answer: @escaping (FleetReply, String) -> Void
    ) throws(SystemError) {
        self.accepts = accepts
        self.services = services
        self.replays = replays
        self.answer = answer
        file = StateFile(path: "\(directory)/commands.json", limit: 1 << 20)
        guard let stored = try file.read() else {
            ledger = CommandLedger()
            return
        }
        guard let ledger = CommandLedger(json: stored) else {
            throw SystemError(EBADMSG, verb: "read", object: file.path)
        }
        self.ledger = ledger
    }

    /// Handles a message on the topic of a sender.
    func receive(_ payload: [UInt8], from sender: String, now: Int64) {
        guard admits(now, sender) else { return }
        guard let command = FleetCommand(payload) else {
            return logger.warning(
                "ignored a message that is no command",
                metadata: .kind(.commandIgnored, ["sender": "\(sender)"]))
        }
        if case .notifications(let bootID, let after) = command.action {
            let request = NotificationReplays.Request(command: command, sender: sender, bootID: bootID, after: after)
            return replays.add(request)
        }
        let isAccepted = accepts(command.action, sender)
        switch ledger.decide(command, isAccepted: isAccepted, hasRoom: services.hasRoom, now: now) {
        case .wait: break
        case .answer(let reply):
            log(reply, to: command, sender)
            answer(reply, sender)
        case .act: begin(command, sender, now)
        }
    }

    private func begin(_ command: FleetCommand, _ sender: String, _ now: Int64) {
        ledger.begin(command, now: now)
        do {
            try file.write(ledger.json)
        } catch {
            return end(FleetReply(id: command.id, .failed, reason: "\(error)"), command, sender)
        }
        services.perform(command, now: UnixTime.now) { [weak self] in self?.end($0, command, sender) }
    }

    private func end(_ reply: FleetReply, _ command: FleetCommand, _ sender: String) {
        ledger.end(reply)
        do {
            try file.write(ledger.json)
        } catch {
            // It is done. After a restart a repeated command is answered with `unknown`.
            logger.warning("\(error)", metadata: .kind(.stored))
        }
        log(reply, to: command, sender)
        answer(reply, sender)
    }

    private func log(_ reply: FleetReply, to command: FleetCommand, _ sender: String) {
        guard case .outcome(let outcome, let reason, _) = reply.content else { return }
        logger.log(
            level: outcome == .done ? .notice : .warning,
            "\(command.action.word) from \(sender): \(outcome.rawValue)\(reason.map { ": \(SystemError.escape($0))" } ?? "")",
            metadata: .kind(
                .command,
                ["command": "\(command.id)", "sender": "\(sender)", "outcome": "\(outcome.rawValue)"]))
    }

    private func admits(_ now: Int64, _ sender: String) -> Bool {
        if now / 1_000_000 != second { (second, messages) = (now / 1_000_000, 0) }
        messages += 1
        if messages == Self.messagesPerSecond + 1 {
            logger.warning(
                "ignoring commands for a second: there are too many",
                metadata: .kind(.commandIgnored, ["sender": "\(sender)"]))
        }
        return messages <= Self.messagesPerSecond
    }
}
