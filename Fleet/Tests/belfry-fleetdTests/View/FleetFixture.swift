// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryJSON
import Foundation
import TestSupport
import Testing
import Varlink

@testable import belfry_fleetd

/// A server of `io.belfry.Fleet` without a broker, and its clients. The test plays the broker and the hosts.
final class FleetFixture {
    private let directory: TemporaryDirectory
    let loop: MainEventLoop
    let broker = StandInBroker()
    private(set) var server: FleetServer
    private let topics = FleetTopics(fleet: "test")
    private var sequences: [String: Int64] = [:]

    /// - Parameter connected: whether there is a connection to the broker.
    init(hosts: [String] = [], hasView: Bool = true, connected: Bool = true) throws {
        directory = try TemporaryDirectory()
        loop = try MainEventLoop()
        server = try Self.server(directory, loop, hasView ? broker : nil)
        if connected { server.brokerConnected() }
        for host in hosts { report(host) }
    }

    isolated deinit { server.close() }

    private static func server(
        _ directory: TemporaryDirectory, _ loop: MainEventLoop, _ broker: StandInBroker?
    ) throws -> FleetServer {
        let server = try FleetServer(
            topics: FleetTopics(fleet: "test"), sender: "op", version: "1", directory: directory.url.path, on: loop,
            broker: broker, interval: .milliseconds(20))
        try server.listen(at: directory.path("io.belfry.Fleet"))
        return server
    }

    /// Another process takes over.
    func restart() throws {
        server.close()
        broker.commands = []
        server = try Self.server(directory, loop, broker)
    }

    // The hosts

    /// A host reports a state. Another session is another connection of it to the broker.
    func report(
        _ host: String, _ state: HostReport.State = .active, session: String = "s1", sequence: Int64? = nil
    ) {
        var report = HostReport(state: state, session: session)
        report.timeUsec = UnixTime.now
        if state.isConnected { report.validUntilUsec = UnixTime.now + 60_000_000 }
        report.bootID = "b1"
        report.sequence = sequence
        receive(report.payload, host, .state)
    }

    /// The connection of a host breaks.
    func kill(_ host: String, session: String = "s1") {
        receive(HostReport.will(session: session).payload, host, .state)
    }

    func notify(_ host: String, _ sequence: Int64, name: String = "test.name", filler: Int = 0) {
        receive(JSONValue.object(Self.notification(sequence, name: name, filler: filler)).json, host, .notification)
    }

    static func notification(_ sequence: Int64, name: String = "test.name", filler: Int = 0) -> JSONObject {
        [
            "sequence": .int(sequence), "bootId": "b1", "name": .string(name),
            "userInfo": ["filler": .string(String(repeating: "x", count: filler))],
        ]
    }

    /// Waits for a command to a host.
    func command(to host: String) throws -> FleetCommand {
        try turn { broker.commands.contains { $0.host == host } }
        let place = try #require(broker.commands.firstIndex { $0.host == host })
        return broker.commands.remove(at: place).command
    }

    func reply(_ host: String, _ reply: FleetReply) { receive(reply.payload, host, .reply(sender: "op")) }

    /// Waits for a command to a host, and answers it.
    @discardableResult
    func answer(
        _ host: String, _ outcome: FleetReply.Outcome = .done, _ reason: String? = nil, result: JSONObject? = nil
    ) throws -> FleetCommand.Action {
        let command = try command(to: host)
        reply(host, FleetReply(id: command.id, outcome, reason: reason, result: result))
        return command.action
    }

    /// Waits for a host to be asked for notifications, and sends these.
    func answer(_ host: String, with numbers: ClosedRange<Int64>) throws -> FleetCommand.Action {
        let command = try command(to: host)
        for number in numbers { reply(host, FleetReply(id: command.id, .notification(Self.notification(number)))) }
        reply(host, FleetReply(id: command.id, .done, result: ["last": .int(numbers.upperBound)]))
        return command.action
    }

    private func receive(_ payload: [UInt8], _ host: String, _ use: FleetTopics.Use) {
        server.receive(payload, from: host, use, isRetained: false)
    }

    // The clients

    /// Calls a method on a connection of its own.
    func call(_ method: String, _ parameters: JSONObject = [:]) throws -> ReplyRecorder {
        try ReplyRecorder(
            VarlinkClient(directory.path("io.belfry.Fleet"), on: loop), "io.belfry.Fleet.\(method)", parameters)
    }

    /// Calls a method, and waits for its end.
    func result(_ method: String, _ parameters: JSONObject = [:]) throws -> ReplyRecorder {
        let call = try call(method, parameters)
        try turn { call.isOver }
        return call
    }

    func turn(until condition: () -> Bool) throws { try loop.turn(until: condition) }
}

/// Records what is published.
final class StandInBroker: ViewBroker {
    var hasRoom = true
    var commands: [(host: String, command: FleetCommand)] = []
    private(set) var topics: Set<String> = []

    func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool, expiry: Duration?) {
        let parsed = FleetTopics(fleet: "test").parse(topic)
        #expect(parsed?.use == .command(sender: "op") && !isRetained && expiry != nil)
        if let host = parsed?.host, let command = FleetCommand(payload) { commands.append((host, command)) }
    }

    func subscribe(_ topics: [String]) { self.topics.formUnion(topics) }

    func unsubscribe(_ topics: [String]) { self.topics.subtract(topics) }
}

extension ReplyRecorder {
    /// The replies as text: the values of these members, as far as they are there.
    func words(_ keys: String...) -> [String] {
        replies.map { reply in keys.compactMap { reply[$0]?.stringValue }.joined(separator: " ") }
    }
}
