// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryJSON
import FoundationEssentials
import TestSupport
import Testing

@testable import belfry_fleetd

/// Commands to a running belfryd.
@Suite(.timeLimit(.minutes(1)))
final class CommandReceiverTests {
    /// A broker that is full after some messages.
    private final class Broker: FleetBroker {
        var room = Int.max
        var hasRoom: Bool { room > 0 }
        func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool, expiry: Duration?) {}
    }

    private let loop: MainEventLoop
    private let fixture: DaemonFixture
    private let daemon: ProbeProcess
    private let broker = Broker()

    init() throws {
        loop = try MainEventLoop()
        fixture = DaemonFixture()
        daemon = try fixture.startReady()
    }

    isolated deinit { _ = daemon.stop() }

    private func receiver(_ answer: @escaping (FleetReply, String) -> Void) throws -> CommandReceiver {
        let socket = fixture.directory.path("run/io.belfry.Lifecycle")
        let replays = NotificationReplays(socket: socket, on: loop, broker) { [broker] in
            broker.room -= 1
            answer($0, $1)
        }
        return try CommandReceiver(
            accepts: { action, sender in sender == "op" && action != .resume }, directory: fixture.directory.url.path,
            services: ServiceCommands(socket: socket, on: loop), replays: replays, answer: answer)
    }

    private func command(_ action: FleetCommand.Action, in seconds: Int64 = 30) -> FleetCommand {
        FleetCommand(action, deadlineUsec: UnixTime.now + seconds * 1_000_000)
    }

    @Test func checkOfAServiceThatWorksSucceeds() throws {
        var replies: [FleetReply] = []
        let receiver = try receiver { reply, _ in replies.append(reply) }

        receiver.receive(command(.check).payload, from: "op", now: UnixTime.now)
        try loop.turn { !replies.isEmpty }

        #expect(replies.map(\.outcome) == [.done])
    }

    @Test func recordThatCannotBeReadPreventsTheStart() throws {
        try fixture.directory.write("commands.json", "no record")
        #expect(throws: (any Error).self) { try receiver { _, _ in } }
    }

    @Test func commandOfAnotherSenderIsRefused() throws {
        var outcomes: [FleetReply.Outcome?] = []
        let receiver = try receiver { reply, _ in outcomes.append(reply.outcome) }
        receiver.receive(command(.pause).payload, from: "other", now: UnixTime.now)
        receiver.receive(command(.resume).payload, from: "op", now: UnixTime.now)
        receiver.receive(command(.pause, in: -1).payload, from: "op", now: UnixTime.now)
        receiver.receive(Array("rubbish".utf8), from: "op", now: UnixTime.now)
        #expect(outcomes == [.refused, .refused, .late])
    }

    @Test func refusalOfTheServiceIsTold() throws {
        var replies: [FleetReply] = []
        let receiver = try receiver { reply, _ in replies.append(reply) }
        receiver.receive(command(.post(name: "willTerminate", userInfo: [:])).payload, from: "op", now: UnixTime.now)
        try loop.turn { !replies.isEmpty }
        guard case .outcome(.failed, let reason, _) = replies[0].content else {
            Issue.record("it has not failed")
            return
        }
        #expect(reason?.hasSuffix(": it belongs to a change of state or a reload") == true)
    }

    @Test func missingNotificationsAreSentInOrder() throws {
        var sequences: [Int64] = []
        var last: FleetReply?
        let receiver = try receiver { reply, _ in
            if case .notification(let notification) = reply.content {
                sequences.append(notification["sequence"]?.intValue ?? 0)
            } else {
                last = reply
            }
        }
        for _ in 0..<20 { _ = try fixture.control(["post", "a.b"]) }
        let request = command(.notifications(bootID: nil, after: 2))
        // Who asks for notifications needs no permission: they are sent to all anyway.
        receiver.receive(request.payload, from: "other", now: UnixTime.now)
        try loop.turn { last != nil }
        #expect(last?.outcome == .done && sequences == Array(3...(sequences.last ?? 0)) && sequences.count >= 20)
    }

    @Test func replayWaitsForRoomAtTheBroker() throws {
        var count = 0
        var isDone = false
        let socket = fixture.directory.path("run/io.belfry.Lifecycle")
        let replays = NotificationReplays(socket: socket, on: loop, broker) { [broker] reply, _ in
            if reply.outcome != nil { isDone = true } else { count += 1; broker.room -= 1 }
        }
        for _ in 0..<10 { _ = try fixture.control(["post", "a.b"]) }
        broker.room = 3
        let request = command(.notifications(bootID: nil, after: 0))
        replays.add(NotificationReplays.Request(command: request, sender: "x", bootID: nil, after: 0))
        try loop.turn { count == 3 }
        try loop.turnWithoutWaiting()
        #expect(count == 3 && !isDone)
        broker.room = .max
        replays.proceed()
        try loop.turn { isDone }
        #expect(count >= 13)
    }

    @Test func notificationsOfAnotherBootAreNotInvented() throws {
        var reply: FleetReply?
        let receiver = try receiver { answer, _ in reply = answer }
        receiver.receive(command(.notifications(bootID: "other", after: 0)).payload, from: "x", now: UnixTime.now)
        try loop.turn { reply != nil }
        #expect(reply?.outcome == .failed)
    }
}
