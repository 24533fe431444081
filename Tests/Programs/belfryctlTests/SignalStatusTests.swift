// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc
import TestSupport
import Testing

/// The exit status of commands that a signal ends while they wait: the table of docs/belfryctl.md.
@Suite(.timeLimit(.minutes(2)))
struct SignalStatusTests {
    nonisolated static let signals = [SIGINT, SIGTERM, SIGHUP]

    private let service: PlayedService

    init() throws { service = try PlayedService() }

    private func ctl(_ arguments: [String]) throws -> ChildProgram {
        let environment = ["BELFRY_SOCKET": service.path, "PATH": "/usr/bin:/bin"]
        return try ChildProgram("belfryctl", arguments, environment: environment)
    }

    @Test(
        arguments: [
            ["post", "a", "--wait"], ["pause"], ["resume"], ["interrupt"], ["reload"], ["reload", "--dry-run"],
            ["flush"],
            ["perform", "x"], ["open", "x:y"], ["is-active"], ["status"], ["watch"], ["wait", "a"],
        ], signals)
    func aSignalWhileTheAnswerIsAwaitedEndsTheCommand(_ command: [String], _ number: Int32) throws {
        let program = try ctl(command)
        _ = try service.acceptCall()

        kill(program.pid, number)

        #expect(program.end() == .init(status: 128 + number, output: "", errors: ""))
    }

    @Test(arguments: [[], ["--", "echo", "ran"]], signals)
    func aHoldThatHasNotBegunIsNoSuccess(_ command: [String], _ number: Int32) throws {
        let program = try ctl(["hold", "--reason", "x"] + command)
        try subscribe()
        _ = try service.acceptCall()

        kill(program.pid, number)

        #expect(program.end() == .init(status: 128 + number, output: "", errors: ""))
    }

    @Test(arguments: [[], ["--", "echo", "ran"]], signals)
    func aHoldThatWaitsForTheStateIsNoSuccess(_ command: [String], _ number: Int32) throws {
        let program = try ctl(["hold", "--reason", "x"] + command)
        _ = try service.acceptCall()

        kill(program.pid, number)

        #expect(program.end() == .init(status: 128 + number, output: "", errors: ""))
    }

    /// Its command has printed `begun`, and ends with status 7 after a line of input.
    private func runningHold(_ script: String = "echo begun; read line; exit 7") throws -> ChildProgram {
        let program = try ctl(["hold", "--reason", "x", "--", "sh", "-c", script])
        try subscribe()
        let hold = try service.acceptCall()
        service.reply(hold, #"{"parameters":{"held":true},"continues":true}"#)
        #expect(program.line() == "begun")
        return program
    }

    private func subscribe() throws {
        let watch = try service.acceptCall()
        service.reply(watch, #"{"parameters":{"state":{"sequence":1}},"continues":true}"#)
    }

    @Test func theTerminalInterruptsTheCommandOfAHoldItself() throws {
        let program = try runningHold()

        kill(program.pid, SIGINT)
        program.say("go on")

        #expect(program.end() == .init(status: 7, output: "", errors: ""))
    }

    @Test(arguments: [SIGTERM, SIGHUP])
    func otherSignalsArePassedToTheCommandOfAHold(_ number: Int32) throws {
        let ended = try runningHold()
        kill(ended.pid, number)
        #expect(ended.end() == .init(status: 128 + number, output: "", errors: ""))
    }

    /// The shell runs its trap after each command: one that waits longer may have begun to wait just after the signal.
    @Test(arguments: [SIGTERM, SIGHUP])
    func aCommandOfAHoldThatHandlesTheSignalDecides(_ number: Int32) throws {
        let program = try runningHold("trap 'echo handled; exit 0' \(number); echo begun; while :; do sleep 0.1; done")

        kill(program.pid, number)

        #expect(program.end() == .init(status: 0, output: "handled\n", errors: ""))
    }

    @Test(arguments: signals)
    func aHoldWithoutACommandThatHasBegunEndsWithSuccess(_ number: Int32) throws {
        let program = try ctl(["hold", "--reason", "x"])
        try subscribe()
        let hold = try service.acceptCall()
        service.reply(hold, #"{"parameters":{"held":true},"continues":true}"#)
        service.reply(hold, #"{"parameters":{"held":true,"waiting":"pause"},"continues":true}"#)
        #expect(program.errorLine() == "belfryctl: pause waits for the hold to end")

        kill(program.pid, number)

        #expect(program.end() == .init(status: 0, output: "", errors: ""))
    }

    @Test(arguments: signals)
    func anAttachmentEndsWithSuccess(_ number: Int32) throws {
        let program = try ctl(["attach", "x", "--on", "a", "--", "true"])
        _ = try service.accept()
        _ = try service.acceptCall()

        kill(program.pid, number)

        #expect(program.end() == .init(status: 0, output: "", errors: ""))
    }

    /// Its command has printed `begun`.
    private func runningAttachment() throws -> (program: ChildProgram, notifications: Int32, answers: Int32) {
        let program = try ctl(["attach", "x", "--on", "a", "--", "sh", "-c", "echo begun; exec sleep 1000"])
        let answers = try service.accept()
        let notifications = try service.acceptCall()
        service.reply(
            notifications, #"{"parameters":{"state":{"state":"active","sequence":1}},"continues":true}"#)
        notify(notifications, "t")
        #expect(program.line() == "begun")
        return (program, notifications, answers)
    }

    private func notify(_ notifications: Int32, _ token: String) {
        service.reply(
            notifications, #"{"parameters":{"token":"\#(token)","notification":{"name":"a"}},"continues":true}"#)
    }

    /// The first signal waits for the command that runs, a second one ends it.
    @Test(arguments: signals)
    func aSecondSignalEndsTheCommandOfAnAttachment(_ number: Int32) throws {
        let (program, notifications, answers) = try runningAttachment()
        kill(program.pid, number)
        notify(notifications, "u")
        #expect(
            try service.call(on: answers).contains(#""token":"u","outcome":"failed","reason":"the program is stop"#))

        kill(program.pid, number)

        #expect(
            try service.call(on: answers).contains(#""token":"t","outcome":"failed","reason":"ended by a second s"#))
        #expect(program.end().status == 0)
    }
}
