// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing
import Varlink

/// belfryctl with a service that sends invalid or hostile replies.
@Suite(.timeLimit(.minutes(5)))
struct HostileServiceTests {
    private static let looking = [
        ["status"], ["listeners"], ["actions"], ["signals"], ["explain", "TERM"], ["reload", "--dry-run"],
        ["post", "x", "--wait"], ["flush"], ["perform", "x"], ["open", "x:y"], ["pause"], ["metrics"],
    ]
    private static let others = [["reload"], ["hold", "--reason", "r", "--", "true"]]
    private static let completion = [
        "---completion", "attach", "--", "--follows", "2", "0", "belfryctl", "attach", "--follows", "",
    ]
    private static let following = [["watch"], ["wait", "x"]]

    private static let keys = [
        "service", "version", "state", "sequence", "uptimeUsec", "bootId", "invocationId", "pid", "subscribers", "name",
        "cause", "triggerUnit", "triggerPath", "result", "code", "status", "kind", "realtimeUsec",
        "reason",
        "exitStatus", "problem", "listener", "outcome", "durationUsec", "order", "deadlineUsec", "health", "calls",
        "failures", "lastOutcome", "lastReason", "lastNotification", "lastDurationUsec", "longestDurationUsec",
        "stillRunning",
        "interests", "remainingUsec", "signal",
        "number", "action", "effect", "shareUsec", "longestUsec", "limitUsec", "unitSetting", "unitTimeoutUsec",
        "title", "id", "value", "text", "uid", "sender", "command", "unit", "previousState", "monotonicUsec",
        "handledBy",
        "skipped", "cache", "filesSeen", "filesSelected", "filesRemoved", "filesOpen", "bytesFreed", "cutShort",
        "dryRun",
        "reasons", "oldest", "dropped", "waiting", "parameter", "object", "sinceUsec", "trigger",
    ]

    private static let lists = [
        "listeners", "reports", "holds", "signals", "actions", "steps", "tasks", "caches", "waitingFor",
    ]
    private static let objects = [
        "origin", "cutShortBy", "exit", "previousRun", "launch", "lastWord", "userInfo", "fields",
        "details", "transition",
    ]

    /// A reply with all fields that any command reads; twice nested fields are included.
    private static func reply(_ odd: JSONValue, nested: Int = 2, isInner: Bool = false) -> JSONObject {
        var reply = JSONObject(keys.map { ($0, odd) })
        guard nested > 0 else { return reply }
        let inner = JSONValue.object(Self.reply(odd, nested: nested - 1, isInner: true))
        for key in lists.prefix(isInner ? 2 : .max) { reply[key] = [inner] }
        for key in objects.prefix(isInner ? 4 : .max) { reply[key] = inner }
        return reply
    }

    private func run(_ standIn: StandIn, _ arguments: [String], hasLines: Bool = false) throws -> ChildProgram.End {
        let end = try standIn.ctl(arguments).end()
        #expect([0, 1, 64, 69, 71, 75, 77, 78].contains(end.status), "\(arguments): \(end.errors.prefix(300))")
        #expect((hasLines || !end.hasForgedLine) && !end.controlsTerminal, "\(arguments)")
        return end
    }

    private func checkJSON(_ output: String, _ arguments: [String]) {
        for line in output.unicodeScalars.split(separator: "\n") {
            #expect((try? JSONValue(json: String(line).utf8)) != nil, "\(arguments)")
        }
    }

    @Test(arguments: HostileReply.oddities.map(\.name))
    func repliesNeitherCrashACommandNorForgeALine(_ name: String) throws {
        let odd = try #require(HostileReply.oddities.first { $0.name == name }).value
        let nested = name == "many" ? 1 : 2
        let standIn = try StandIn(answering: [HostileReply.message(Self.reply(odd, nested: nested))])
        for command in Self.looking {
            // The metrics are lines of the service.
            _ = try run(standIn, command, hasLines: command == ["metrics"])
        }
        for command in [["status"], ["metrics"], ["post", "x"]] {
            let done = try run(standIn, command + ["--json"])
            checkJSON(done.output, command)
            #expect(done.output.utf8.filter { $0 == 10 }.count == 1, "\(command)")
        }
        for command in Self.others { _ = try run(standIn, command) }
        #expect(try run(standIn, ["history", "--socket", standIn.socket]).status > 1)
        let words = try standIn.ctl(Self.completion)
        #expect(words.end().status == 0)
    }

    @Test(arguments: HostileReply.oddities.map(\.name))
    func notificationsNeverCrashAWatch(_ name: String) throws {
        let odd = try #require(HostileReply.oddities.first { $0.name == name }).value
        var notification = Self.reply(odd, nested: 1)
        notification["name"] = "didFinishLaunching"
        let reply = JSONValue.object(Self.reply(odd, nested: 1))
        var messages = [HostileReply.message(["state": reply], ["continues": true])]
        for notification in [reply, .object(notification)] {
            messages.append(HostileReply.message(["notification": notification], ["continues": true]))
        }
        let standIn = try StandIn(answering: messages + [HostileReply.message([:], ["error": "org.example.Enough"])])
        for command in Self.following {
            _ = try run(standIn, command)
            checkJSON(try run(standIn, command + ["--json"]).output, command)
        }
        let gaps = try StandIn(answering: [
            HostileReply.message(["state": reply], ["continues": true]),
            HostileReply.message(Self.reply(odd, nested: 0), ["error": "io.belfry.Lifecycle.NotRetained"]),
            HostileReply.message(Self.reply(odd, nested: 0), ["error": "io.belfry.Lifecycle.Overrun"]),
            HostileReply.message([:], ["error": "org.example.Enough"]),
        ])
        for after in ["0", "\(Int64.max)"] { _ = try run(gaps, ["watch", "--after", after]) }
    }

    @Test(arguments: [
        "org.varlink.service.InvalidParameter", "io.belfry.Lifecycle.ReloadRefused", "io.belfry.Lifecycle.ReloadFailed",
        "io.belfry.Lifecycle.InvalidSignal",
        HostileReply.forged, "org.example.Odd",
    ])
    func errorsForgeNoLine(_ error: String) throws {
        for (name, odd) in HostileReply.oddities where ["least", "object", "forged"].contains(name) {
            var parameters = Self.reply(odd, nested: 1)
            parameters["reasons"] = [.string(HostileReply.forged), odd]
            let standIn = try StandIn(answering: [HostileReply.message(parameters, ["error": .string(error)])])
            for command in [["reload"], ["status"], ["watch"]] {
                // The reasons are lines of the service.
                let hasLines = error.hasSuffix("ReloadRefused")
                let least = error.hasSuffix("ReloadFailed") ? 1 : 64
                #expect(try run(standIn, command, hasLines: hasLines).status >= least, "\(command)")
            }
        }
    }

    @Test func longTextsTakeLinearTime() throws {
        let standIn = try StandIn(answering: [HostileReply.message(Self.reply(.string(HostileReply.long), nested: 0))])
        for command in Self.looking + Self.others {
            #expect(try !run(standIn, command).errors.contains("longer than"))
        }
        let failing = try StandIn(answering: [
            HostileReply.message(
                Self.reply(.string(HostileReply.long), nested: 0), ["error": .string(HostileReply.long)])
        ])
        for command in Self.others + [["status"], ["watch"]] { #expect(try run(failing, command).status == 69) }
        let notification = JSONValue.object(Self.reply(.string(HostileReply.long), nested: 0))
        let followed = try StandIn(answering: [
            HostileReply.message(["state": notification], ["continues": true]),
            HostileReply.message(["notification": notification], ["continues": true]),
            HostileReply.message([:], ["error": "org.example.Enough"]),
        ])
        for command in Self.following { _ = try run(followed, command) }
    }

    /// Texts that decide what is printed, 4 MB each: a quadratic comparison takes longer than the time limit.
    @Test func longTextsAreComparedAsBytes() throws {
        let long = String(repeating: HostileReply.long, count: 25)
        let notification: JSONValue = ["name": "x", "sequence": 1, "userInfo": [long: "a", "unitJob": "none"]]
        let followed = try StandIn(answering: [
            HostileReply.message(["notification": notification], ["continues": true]),
            HostileReply.message([:], ["error": "org.example.Enough"]),
        ])
        #expect(try run(followed, ["watch"]).output.contains("\u{301}\u{323}"))
        let lastWord: JSONValue = ["reason": .string(long)]
        let asked = try StandIn(answering: [
            HostileReply.message([
                "state": "active", "transition": ["trigger": .string(long)],
                "launch": ["cause": "start", "previousRun": ["lastWord": lastWord]], "lastWord": lastWord,
            ])
        ])
        for command in [["status"], ["is-active"], ["pause"]] {
            #expect(try run(asked, command).output.contains("active"))
        }
    }

    @Test func numberOfElementsShownIsLimited() throws {
        let listener: JSONValue = ["name": "a", "interests": ["b"], "calls": 1]
        let standIn = try StandIn(answering: [
            HostileReply.message(["listeners": .array(Array(repeating: listener, count: 70_000))])
        ])

        let done = try run(standIn, ["listeners"])

        #expect(done.status == 0)
        #expect(done.output.utf8.filter { $0 == 10 }.count == 65_537)
    }

    @Test(arguments: ["{", "[]", "\u{1}", #"{"parameters":[]}"#, String(repeating: #"{"parameters":"#, count: 100)])
    func invalidReplyIsAnError(_ message: String) throws {
        let standIn = try StandIn(answering: [message])
        for command in [["status"], ["metrics"]] + Self.others + Self.following {
            #expect(try run(standIn, command).status == 69, "\(command)")
        }
    }

    @Test func endlessReplyIsRefused() throws {
        let standIn = try StandIn(answering: [#"{"parameters":{"a":""# + String(repeating: "x", count: 17 << 20)])

        let done = try run(standIn, ["status"])

        #expect(done.status == 69)
        #expect(done.errors.contains("longer than 16777216 bytes"))
    }

    /// bash(1) expands the arguments of compgen: `$(…)` would be executed.
    @Test func completionOffersPlainWordsOnly() throws {
        let standIn = try StandIn(answering: [
            HostileReply.message([
                "listeners": [["name": "$(reboot)"], ["name": "two\nwords"], ["name": "dance"], ["name": "`id`"]]
            ])
        ])

        // It offers nothing if the answer takes a second.
        var words = ""
        for _ in 1...30 where words.isEmpty { words = try standIn.ctl(Self.completion).end().output }

        #expect(words == "dance\n")
    }
}
