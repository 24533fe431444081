// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryConfiguration
import BelfryEventLoop
import BelfryJSON
import CBelfry
import Glibc
import Lifecycle
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
final class AttachmentTests {
    private let loop: MainEventLoop
    private let folder: TemporaryDirectory
    private let listener: Int32
    private var events: [AttachmentEvent] = []
    private var failure: ClientFailure?
    private var connections: [Int32] = []

    init() throws {
        loop = try MainEventLoop()
        folder = try TemporaryDirectory()
        listener = belfry_unix_listen(folder.path("socket"), 4)
    }

    isolated deinit { for descriptor in connections + [listener] { close(descriptor) } }

    private func attach() -> BelfryClient.Attachment {
        let settings = ListenerSettings(
            name: "x", on: ["a"], commands: .application(unit: "x.service", []), timeout: .seconds(1),
            socket: folder.path("socket"))
        let attachment = BelfryClient.Attachment(settings, on: loop) { [unowned self] in
            events.append($0)
        } onEnd: { [unowned self] in
            failure = $0
        }
        attachment.start()
        return attachment
    }

    /// Accepts the next connection, and returns the first message on it.
    private func accept() throws -> (connection: Int32, message: String) {
        var connection: Int32 = -1
        try loop.turn {
            connection = belfry_accept(listener)
            return connection >= 0
        }
        connections.append(connection)
        return (connection, try read(connection))
    }

    private func read(_ connection: Int32) throws -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var count = -1
        try loop.turn {
            count = recv(connection, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return count >= 0
        }
        return String(decoding: bytes.prefix(max(0, count)).filter { $0 != 0 }, as: UTF8.self)
    }

    private func reply(_ connection: Int32, _ text: String) {
        _ = send(connection, text + "\0", text.utf8.count + 1, Int32(MSG_NOSIGNAL))
    }

    private static let active = #"{"parameters":{"state":{"state":"active","sequence":1}},"continues":true}"#

    /// Plays the service up to the call of `Attach`.
    private func acceptAttach() throws -> (notifications: Int32, answers: Int32, call: String) {
        var answers: Int32 = -1
        try loop.turn {
            answers = belfry_accept(listener)
            return answers >= 0
        }
        connections.append(answers)
        let call = try accept()
        return (call.connection, answers, call.message)
    }

    @Test func notificationsAreReportedAndAnsweredOnTheSecondConnection() throws {
        let attachment = attach()
        let (notifications, answers, call) = try acceptAttach()
        #expect(call.contains(#""listener":"x","names":["a"],"deadlineUsec":1000000,"state":true"#))
        #expect(events.isEmpty)

        reply(notifications, Self.active)
        reply(notifications, #"{"parameters":{"token":"t","notification":{"name":"a"}},"continues":true}"#)
        try loop.turn { events.count == 2 }
        attachment.answer("t", "refused", reason: "no")

        #expect(
            events == [
                .attached(state: ["state": "active", "sequence": 1]),
                .notification(["name": "a"], token: "t", key: nil),
            ])
        #expect(try read(answers).contains(#""token":"t","outcome":"refused","reason":"no""#))
        attachment.stop()
    }

    @Test func changesOfStateComeOnTheSameStream() throws {
        let attachment = attach()
        let (notifications, _, _) = try acceptAttach()

        reply(notifications, Self.active)
        reply(notifications, #"{"parameters":{"state":{"state":"background","sequence":3}},"continues":true}"#)
        reply(notifications, #"{"parameters":{"token":"t","notification":{"name":"a"}},"continues":true}"#)
        try loop.turn { events.count == 3 }

        #expect(
            events == [
                .attached(state: ["state": "active", "sequence": 1]), .state("background"),
                .notification(["name": "a"], token: "t", key: nil),
            ])
        attachment.stop()
    }

    @Test func itAttachesAgainWhenTheConnectionIsLost() throws {
        let attachment = attach()
        let first = try acceptAttach()
        reply(first.notifications, Self.active)
        try loop.turn { !events.isEmpty }

        shutdown(first.notifications, Int32(SHUT_RDWR))
        try loop.turn { events.contains(.detached) }
        let second = try acceptAttach()
        reply(second.notifications, Self.active)
        try loop.turn { events.count { if case .attached = $0 { true } else { false } } == 2 }

        #expect(failure == nil)
        attachment.stop()
    }

    @Test func theNextServiceHearsOfAProblemWithTheRequest() throws {
        let attachment = attach()
        let first = try acceptAttach()
        #expect(!first.call.contains("health"))
        reply(first.notifications, Self.active)
        try loop.turn { !events.isEmpty }

        attachment.report(.degraded("no program"))
        shutdown(first.notifications, Int32(SHUT_RDWR))
        try loop.turn { events.contains(.detached) }

        let call = try acceptAttach().call
        #expect(call.contains(#""health":"degraded""#) && call.contains(#""reason":"no program""#))
        attachment.stop()
    }

    @Test func nothingComesAfterAStopThatFindsTheServiceGone() throws {
        let attachment = attach()
        let (notifications, answers, _) = try acceptAttach()
        reply(notifications, Self.active)
        try loop.turn { !events.isEmpty }

        shutdown(answers, Int32(SHUT_RDWR))
        attachment.answer("t", "completed")
        attachment.stop()
        for _ in 0..<40 { try loop.turn(waiting: .milliseconds(5)) }

        #expect(events.count == 1 && failure == nil)
        #expect(belfry_accept(listener) == -EAGAIN, "it does not connect again")
    }

    @Test func aRefusalIsTheEnd() throws {
        let attachment = attach()
        let (notifications, _, _) = try acceptAttach()

        reply(notifications, #"{"error":"io.belfry.Lifecycle.ListenerExists","parameters":{"listener":"x"}}"#)
        try loop.turn { failure != nil }

        #expect(failure?.status == .unavailable)
        #expect(failure?.lines.first?.hasSuffix("the service has a listener of this name") == true)
        #expect(events.isEmpty)
        attachment.stop()
    }
}
