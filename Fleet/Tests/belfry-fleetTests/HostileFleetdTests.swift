// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import TestSupport
import Testing
import Varlink

/// What belfry-fleetd passes on from other hosts neither crashes a command nor controls the terminal.
@Suite(.timeLimit(.minutes(2)))
struct HostileFleetdTests {
    private static let commands = [
        ["list"], ["list", "--hosts", "*"], ["history"], ["resume", "--hosts", "*"],
        ["post", "x", "--hosts", "*", "--wait"], ["reload", "--rolling", "1"], ["continue"], ["cancel"],
    ]
    private nonisolated static let oddities = HostileReply.oddities + [("long", .string(HostileReply.long))]
    private static let keys = [
        "name", "state", "sinceUsec", "version", "ageUsec", "isCurrent", "outcome", "reason", "sequence",
        "realtimeUsec",
        "listener", "durationUsec", "step", "note", "previousState",
    ]

    /// A reply with all members that a command reads.
    private static func reply(_ odd: JSONValue, isInner: Bool = false) -> JSONObject {
        var reply = JSONObject(keys.map { ($0, odd) })
        guard !isInner else { return reply }
        let inner = JSONValue.object(Self.reply(odd, isInner: true))
        reply["hosts"] = [inner]
        reply["host"] = odd
        reply["notification"] = inner
        reply["result"] = ["result": "failed", "reports": [inner]]
        return reply
    }

    private func run(_ standIn: StandIn, _ arguments: [String]) throws -> ChildProgram.End {
        let end = try standIn.command(arguments).end()
        #expect([0, 1, 64, 69].contains(end.status), "\(arguments): \(end.errors.prefix(300))")
        #expect(!end.hasForgedLine && !end.controlsTerminal, "\(arguments)")
        return end
    }

    @Test(arguments: oddities.map(\.name))
    func repliesNeitherCrashACommandNorForgeALine(_ name: String) throws {
        let odd = try #require(Self.oddities.first { $0.name == name }).value
        let standIn = try StandIn(answering: [HostileReply.message(Self.reply(odd))])
        for command in Self.commands { _ = try run(standIn, command) }

        let host = JSONValue.object(Self.reply(odd, isInner: true))
        let replies = [["host": host], ["host": host, "notification": host], ["note": odd]] as [JSONObject]
        let watched = try StandIn(
            answering: replies.map { HostileReply.message($0, ["continues": true]) }
                + [HostileReply.message([:], ["error": "org.example.Enough"])])
        _ = try run(watched, ["watch"])
        let failing = try StandIn(answering: [
            HostileReply.message(Self.reply(odd), ["error": "io.belfry.Fleet.RollStopped"])
        ])
        _ = try run(failing, ["continue"])
    }

    @Test(arguments: ["{", "[]", "\u{1}", #"{"parameters":[]}"#])
    func invalidReplyIsAnError(_ message: String) throws {
        let standIn = try StandIn(answering: [message])
        for command in Self.commands { #expect(try run(standIn, command).status == 69, "\(command)") }
    }
}
