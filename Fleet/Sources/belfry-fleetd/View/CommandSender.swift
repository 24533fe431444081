// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryEventLoop
import BelfryLinux

/// Sends commands to hosts as fast as the broker takes them, and tells who sent them what becomes of them. `PendingCommands`
/// decides.
final class CommandSender {
    /// Called with each answer of a host. An ending is the last one of that host.
    typealias Handler = (_ host: String, _ answer: PendingCommands.Answer) -> Void

    /// How long a host may take to answer. Hosts refuse a deadline that is further away.
    static let longestTimeout = Duration.seconds(3600)

    private let topics: FleetTopics
    private let sender: String
    private let broker: any ViewBroker
    private let isConnected: (String) -> Bool
    private var pending = PendingCommands()
    private var handlers: [String: Handler] = [:]
    private var timer: DueTimer?

    /// - Parameters:
    ///   - sender: our name.
    ///   - isConnected: whether a host is connected to the broker.
    /// - Throws: when the system has no memory left.
    init(
        _ topics: FleetTopics, as sender: String, _ broker: any ViewBroker, on loop: MainEventLoop,
        isConnected: @escaping (String) -> Bool
    ) throws(SystemError) {
        self.topics = topics
        self.sender = sender
        self.broker = broker
        self.isConnected = isConnected
        timer = try DueTimer(on: loop) { [weak self] in self?.expire() }
    }

    /// Sends a command. The handler is not called before this returns.
    ///
    /// - Returns: its id.
    func send(
        _ action: FleetCommand.Action, to hosts: [String], within timeout: Duration, _ handler: @escaping Handler
    ) -> String {
        let timeout = min(timeout, Self.longestTimeout)
        let command = FleetCommand(action, deadlineUsec: UnixTime.now.adding(Int64(clamping: timeout.microseconds)))
        handlers[command.id] = handler
        pending.add(command, to: hosts, deadline: .now.advanced(by: timeout))
        timer?.set(to: pending.nextDeadline)
        sendWaiting()
        return command.id
    }

    /// Forgets a command: its handler is not called any more.
    func withdraw(_ id: String) {
        pending.withdraw(id)
        handlers[id] = nil
    }

    /// The broker has room again.
    func sendWaiting() {
        while broker.hasRoom, let (host, command) = pending.nextToSend() {
            let left = max(0, command.deadlineUsec.subtracting(UnixTime.now))
            broker.publish(
                topics.command(from: sender, to: host), command.payload, isRetained: false, expiry: .microseconds(left))
        }
    }

    /// A host has a new connection to the broker, or we have.
    func repeatCommands(to host: String) {
        pending.repeatCommands(to: host)
        sendWaiting()
    }

    /// Receives the reply of a host.
    func receive(_ reply: FleetReply, from host: String) {
        guard let answer = pending.receive(reply, from: host) else { return }
        handlers[reply.id]?(host, answer)
        if !pending.contains(reply.id) { handlers[reply.id] = nil }
    }

    private func expire() {
        let ended = pending.expire(at: .now, isConnected: isConnected)
        for (id, host, ending) in ended { handlers[id]?(host, .ending(ending)) }
        for (id, _, _) in ended { handlers[id] = nil }
        timer?.set(to: pending.nextDeadline)
    }
}
