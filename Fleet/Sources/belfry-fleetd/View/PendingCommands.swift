// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryEventLoop
import BelfryJSON

/// Commands that hosts have not answered yet. A command is sent again whenever a host has a new connection, until its deadline:
/// the host does it only once.
nonisolated struct PendingCommands: Sendable {
    /// How a command to one host ended.
    enum Ending: Sendable, Equatable {
        case answered(FleetReply.Outcome, reason: String?, result: JSONObject?)
        /// The host is connected, and has not answered by the deadline.
        case timeout
        /// The host was not connected at the deadline.
        case away

        /// The word for it in `io.belfry.Fleet`.
        var word: String {
            switch self {
            case .answered(let outcome, _, _): outcome.rawValue
            case .timeout: "timeout"
            case .away: "away"
            }
        }

        var reason: String? { if case .answered(_, let reason, _) = self { reason } else { nil } }

        /// The word, and the reason if there is one; or the listeners that failed.
        var text: String {
            if !problems.isEmpty { return "\(word), but \(problems.joined(separator: "; "))" }
            return reason.map { "\(word): \($0)" } ?? word
        }

        /// Whether the host says that it has done it, and that no listener failed.
        var isDone: Bool { if case .answered(.done, _, _) = self { problems.isEmpty } else { false } }

        /// The listeners that failed, refused or were late.
        private var problems: [String] {
            if case .answered(_, _, let result?) = self { ListenerReports.problems(result) } else { [] }
        }

        /// Whether the host says that it has done nothing.
        var isDeclined: Bool {
            switch self {
            case .answered(.refused, _, _), .answered(.late, _, _): true
            case .answered, .timeout, .away: false
            }
        }
    }

    /// What a reply means.
    enum Answer: Sendable, Equatable {
        case notification(JSONObject)
        case ending(Ending)
    }

    private struct Pending: Sendable {
        let command: FleetCommand
        let deadline: MonotonicInstant
        /// Those that have not answered.
        var hosts: Set<String>
        /// Those of them that are in the outbox.
        var unsent: Set<String>
    }

    private var commands: [String: Pending] = [:]
    /// The ids of the commands that a host has not answered.
    private var ids: [String: Set<String>] = [:]
    /// What is to be sent, with entries that are not valid any more.
    private var outbox: [(id: String, host: String)] = []
    private var sent = 0

    /// Adds a command to hosts, to be sent to each of them.
    mutating func add(_ command: FleetCommand, to hosts: [String], deadline: MonotonicInstant) {
        commands[command.id] = Pending(command: command, deadline: deadline, hosts: Set(hosts), unsent: Set(hosts))
        for host in hosts {
            ids[host, default: []].insert(command.id)
            outbox.append((command.id, host))
        }
    }

    /// The next command to be sent.
    mutating func nextToSend() -> (host: String, command: FleetCommand)? {
        while sent < outbox.count {
            let (id, host) = outbox[sent]
            sent += 1
            guard commands[id]?.unsent.remove(host) != nil, let command = commands[id]?.command else { continue }
            return (host, command)
        }
        outbox = []
        sent = 0
        return nil
    }

    /// A host has a new connection to the broker, or we have: what it has not answered is sent again.
    mutating func repeatCommands(to host: String) {
        for id in ids[host] ?? [] where commands[id]?.unsent.insert(host).inserted ?? false {
            outbox.append((id, host))
        }
    }

    /// Receives the reply of a host.
    ///
    /// - Returns: nil if the host was not asked, or has answered before.
    mutating func receive(_ reply: FleetReply, from host: String) -> Answer? {
        guard ids[host]?.contains(reply.id) ?? false else { return nil }
        switch reply.content {
        case .notification(let notification): return .notification(notification)
        case .outcome(let outcome, let reason, let result):
            remove(reply.id, host)
            return .ending(.answered(outcome, reason: reason, result: result))
        }
    }

    /// Whether a host has not answered the command.
    func contains(_ id: String) -> Bool { commands[id] != nil }

    /// Forgets a command: it is neither sent again nor answered.
    mutating func withdraw(_ id: String) {
        for host in commands[id]?.hosts ?? [] { remove(id, host) }
        commands[id] = nil
    }

    /// The earliest deadline.
    var nextDeadline: MonotonicInstant? { commands.values.lazy.map(\.deadline).min() }

    /// Ends the commands whose deadline has passed.
    mutating func expire(
        at now: MonotonicInstant, isConnected: (String) -> Bool
    ) -> [(id: String, host: String, ending: Ending)] {
        var ended: [(id: String, host: String, ending: Ending)] = []
        for (id, pending) in commands where pending.deadline <= now {
            for host in pending.hosts.sorted() { ended.append((id, host, isConnected(host) ? .timeout : .away)) }
            withdraw(id)
        }
        return ended
    }

    private mutating func remove(_ id: String, _ host: String) {
        commands[id]?.hosts.remove(host)
        commands[id]?.unsent.remove(host)
        if commands[id]?.hosts.isEmpty ?? false { commands[id] = nil }
        ids[host]?.remove(id)
        if ids[host]?.isEmpty ?? false { ids[host] = nil }
    }
}
