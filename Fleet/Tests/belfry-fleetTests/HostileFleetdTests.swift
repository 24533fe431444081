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
    private nonisolated static let forged =
        "x\r\nforged \u{1B}[2J\u{9B}1m\u{85}\u{2028}\u{2029}\u{202E}\u{2066}\u{200B}\u{E0001}\u{7F}\0"

    /// Values for each text and number, with names for the test.
    private nonisolated static let oddities: [(name: String, value: JSONValue)] = [
        ("greatest", .int(.max)), ("least", .int(.min)), ("1e300", 1e300), ("null", .null), ("object", [:]),
        ("forged", .string(forged)), ("true", true), ("many", .array(Array(repeating: "x", count: 200))),
        // String comparison in Swift takes quadratic time for combining marks.
        ("long", .string(String(repeating: "\u{301}\u{323}", count: 50_000))),
    ]
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

    private static func message(_ parameters: JSONObject, _ more: JSONObject = [:]) -> String {
        var message: JSONObject = ["parameters": .object(parameters)]
        for (key, value) in more { message[key] = value }
        return JSONValue.object(message).description
    }

    private func run(_ standIn: StandIn, _ arguments: [String]) throws -> ChildProgram.End {
        let end = try standIn.command(arguments).end()
        #expect([0, 1, 64, 69].contains(end.status), "\(arguments): \(end.errors.prefix(300))")
        for line in (end.output + end.errors).split(separator: "\n") {
            #expect(!line.hasPrefix("forged"), "\(arguments)")
        }
        #expect(!end.controlsTerminal, "\(arguments)")
        return end
    }

    @Test(arguments: oddities.map(\.name))
    func repliesNeitherCrashACommandNorForgeALine(_ name: String) throws {
        let odd = try #require(Self.oddities.first { $0.name == name }).value
        let standIn = try StandIn(answering: [Self.message(Self.reply(odd))])
        for command in Self.commands { _ = try run(standIn, command) }

        let host = JSONValue.object(Self.reply(odd, isInner: true))
        let replies = [["host": host], ["host": host, "notification": host], ["note": odd]] as [JSONObject]
        let watched = try StandIn(
            answering: replies.map { Self.message($0, ["continues": true]) }
                + [Self.message([:], ["error": "org.example.Enough"])])
        _ = try run(watched, ["watch"])
        let failing = try StandIn(answering: [Self.message(Self.reply(odd), ["error": "io.belfry.Fleet.RollStopped"])])
        _ = try run(failing, ["continue"])
    }

    @Test(arguments: ["{", "[]", "\u{1}", #"{"parameters":[]}"#])
    func invalidReplyIsAnError(_ message: String) throws {
        let standIn = try StandIn(answering: [message])
        for command in Self.commands { #expect(try run(standIn, command).status == 69, "\(command)") }
    }
}
