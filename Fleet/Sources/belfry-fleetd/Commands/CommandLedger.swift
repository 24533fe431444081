// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryJSON

/// Which commands this host has begun, so that it does each at most once: one that comes again gets the recorded answer.
///
/// A command is recorded before anything is done for it, and forgotten when its deadline has passed, because it would be refused
/// from then on.
nonisolated struct CommandLedger: Sendable, Equatable {
    /// What becomes of a command.
    enum Decision: Sendable, Equatable {
        /// It is to be recorded, and done.
        case act
        case answer(FleetReply)
        /// It is being done, and answered at the end.
        case wait
    }

    private struct Entry: Sendable, Equatable {
        let deadlineUsec: Int64
        /// The answer; nil as long as it is being done.
        var reply: FleetReply?
    }

    /// How far in the future a deadline may be: 1 hour.
    static let longestTimeUsec: Int64 = 3_600_000_000
    /// How many commands are remembered.
    static let commandsMax = 256
    /// A reason is cut to this number of bytes.
    private static let reasonMax = 1024

    private var entries: [UTF8Text: Entry] = [:]

    init() {}

    /// - Parameter hasRoom: whether the service can do another command now.
    func decide(_ command: FleetCommand, isAccepted: Bool, hasRoom: Bool = true, now: Int64) -> Decision {
        if let entry = entries[UTF8Text(command.id)] { return entry.reply.map { .answer($0) } ?? .wait }
        func answer(_ outcome: FleetReply.Outcome, _ reason: String) -> Decision {
            .answer(FleetReply(id: command.id, outcome, reason: reason))
        }
        if command.deadlineUsec <= now { return answer(.late, "its deadline has passed") }
        guard isAccepted else { return answer(.refused, "this host does not accept it from this sender") }
        guard command.deadlineUsec.subtracting(now) <= Self.longestTimeUsec else {
            return answer(.refused, "its deadline is more than an hour away")
        }
        guard hasRoom else { return answer(.refused, "this host is busy with other commands") }
        guard entries.values.count(where: { $0.deadlineUsec > now }) < Self.commandsMax else {
            return answer(.refused, "this host has \(Self.commandsMax) commands whose deadline has not passed")
        }
        return .act
    }

    /// Records that it is being done.
    mutating func begin(_ command: FleetCommand, now: Int64) {
        entries = entries.filter { $0.value.deadlineUsec > now || $0.value.reply == nil }
        entries[UTF8Text(command.id)] = Entry(deadlineUsec: command.deadlineUsec)
    }

    /// Records the answer. The result is not kept: a repeated answer is without it.
    mutating func end(_ reply: FleetReply) {
        guard case .outcome(let outcome, let reason, _) = reply.content else { return }
        entries[UTF8Text(reply.id)]?.reply =
            FleetReply(id: reply.id, outcome, reason: reason?.cut(toBytes: Self.reasonMax))
    }

    // The file

    /// What an earlier process has recorded. What it had begun is unknown now.
    ///
    /// - Returns: nil for what is no record.
    init?(json: [UInt8]) {
        guard let list = try? JSONValue(json: json).arrayValue else { return nil }
        for element in list.prefix(Self.commandsMax) {
            guard let object = element.objectValue, let id = object["id"]?.stringValue, FleetName.isValid(id),
                let deadlineUsec = object["deadlineUsec"]?.intValue
            else { return nil }
            let unknown = FleetReply(id: id, .unknown, reason: "belfry-fleetd ended while the service was doing it")
            entries[UTF8Text(id)] = Entry(deadlineUsec: deadlineUsec, reply: FleetReply(object) ?? unknown)
        }
    }

    var json: [UInt8] {
        let list = entries.sorted { $0.key < $1.key }.map { id, entry in
            var object = entry.reply?.object ?? ["id": .string(id.string)]
            object["deadlineUsec"] = .int(entry.deadlineUsec)
            return JSONValue.object(object)
        }
        return JSONValue.array(list).json
    }
}
