// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import TestSupport
import Testing
import Varlink

@testable import belfry_fleetd

@Suite(.timeLimit(.minutes(1)))
struct RollRunnerTests {
    private static let quick: JSONObject = ["command": "reload", "away": 1, "healthyUsec": 1000]
    private static let pause: JSONObject = [
        "command": "pause", "away": 1, "healthyUsec": 1000, "pauseUsec": 3_600_000_000,
    ]

    private func words(_ call: ReplyRecorder) -> [String] { call.words("step", "host", "reason") }

    private func steps(_ fleet: FleetFixture, _ call: ReplyRecorder, until step: String) throws {
        try fleet.turn { words(call).last == step }
    }

    /// A roll whose first host is paused.
    private func pausedRoll(of fleet: FleetFixture) throws -> ReplyRecorder {
        let roll = try fleet.call("Roll", Self.pause)
        try fleet.answer("h1")
        try steps(fleet, roll, until: "paused h1")
        return roll
    }

    @Test func stepsAreTold() throws {
        let fleet = try FleetFixture(hosts: ["h1", "h2"])
        let roll = try fleet.call("Roll", Self.quick)

        for host in ["h1", "h2"] {
            #expect(try fleet.answer(host) == .reload)
            #expect(try fleet.answer(host) == .check)
        }
        try fleet.turn { roll.isOver }

        #expect(
            words(roll) == [
                "sent h1", "answered h1", "healthy h1", "sent h2", "answered h2", "healthy h2", "finished",
            ])
        #expect(try fleet.result("Continue").errorWord == "NothingToContinue")
    }

    @Test func rollStopsAndIsContinued() throws {
        let fleet = try FleetFixture(hosts: ["h1", "h2"])
        let roll = try fleet.call("Roll", Self.quick)
        try fleet.answer("h1", .failed, "bad file")
        try fleet.turn { roll.isOver }
        #expect(roll.errorWord == "RollStopped")
        #expect(roll.errorParameters?["host"] == "h1")
        #expect(roll.errorParameters?["reason"] == "reload: failed: bad file")
        let other = try fleet.result("Roll", Self.quick)
        #expect(other.errorWord == "RollBusy")
        #expect(
            other.errorParameters?["reason"]
                == "a rolling 'reload' has stopped: reload: failed: bad file; continue or cancel it")

        let again = try fleet.call("Continue")
        for host in ["h1", "h1", "h2", "h2"] { try fleet.answer(host) }
        try fleet.turn { again.isOver }

        #expect(words(again).first == "sent h1" && words(again).last == "finished")
    }

    @Test func onlyOneRollIsUnderWay() throws {
        let fleet = try FleetFixture(hosts: ["h1"])
        let roll = try fleet.call("Roll", Self.quick)
        try steps(fleet, roll, until: "sent h1")

        #expect(try fleet.result("Roll", Self.quick).errorWord == "RollBusy")
        #expect(try fleet.result("Continue").errorWord == "RollBusy")
    }

    @Test func hostIsResumedWhenTheCallerIsGone() throws {
        let fleet = try FleetFixture(hosts: ["h1", "h2"])
        let roll = try pausedRoll(of: fleet)

        roll.client.close()

        #expect(try fleet.answer("h1") == .resume)
        #expect(
            try fleet.result("Roll", Self.quick).errorParameters?["reason"]
                == "a rolling 'pause' has stopped: its caller went away; continue or cancel it")
    }

    @Test func cancelEndsTheRollAndResumesTheHost() throws {
        let fleet = try FleetFixture(hosts: ["h1", "h2"])
        let roll = try pausedRoll(of: fleet)

        let cancel = try fleet.call("Cancel")
        let command = try fleet.command(to: "h1")
        #expect(command.action == .resume && !cancel.isOver)
        fleet.reply("h1", FleetReply(id: command.id, .done))
        try fleet.turn { cancel.isOver && roll.isOver }

        #expect(cancel.errorWord == nil)
        #expect(roll.errorWord == "RollStopped" && roll.errorParameters?["reason"] == "cancelled")
        #expect(try fleet.result("Cancel").errorWord == "NothingToContinue")
    }

    @Test func hostIsResumedWhenTheBrokerIsBack() throws {
        let fleet = try FleetFixture(hosts: ["h1", "h2"])
        let roll = try pausedRoll(of: fleet)

        fleet.broker.hasRoom = false
        fleet.server.brokerLost("cable cut")
        try fleet.turn { roll.isOver }
        #expect(roll.errorParameters?["reason"] == "the connection to the broker was lost")
        #expect(try fleet.result("Cancel").errorWord == "NoBroker")
        #expect(try fleet.result("Continue").errorWord == "NoBroker")
        fleet.broker.hasRoom = true
        fleet.server.brokerConnected()

        #expect(try fleet.answer("h1") == .resume)
        #expect(try fleet.result("Cancel").errorWord == nil)
    }

    @Test func rollOfAnotherProcessIsContinued() throws {
        let fleet = try FleetFixture(hosts: ["h1", "h2"])
        let roll = try pausedRoll(of: fleet)
        defer { withExtendedLifetime(roll) {} }

        try fleet.restart()
        fleet.server.brokerConnected()
        #expect(try fleet.answer("h1") == .resume)
        fleet.report("h1")
        fleet.report("h2")
        let again = try fleet.call("Continue")
        #expect(try fleet.answer("h1") == .check)
        try steps(fleet, again, until: "sent h2")

        #expect(words(again) == ["healthy h1", "sent h2"])
        #expect(try fleet.answer("h2") == .pause)
    }

    @Test func hostIsResumedBeforeTheProgramEnds() throws {
        let fleet = try FleetFixture(hosts: ["h1"])
        let roll = try pausedRoll(of: fleet)

        fleet.server.close()
        try fleet.turn { roll.isOver }

        #expect(fleet.broker.commands.map(\.command.action) == [.resume])
        #expect(roll.errorParameters?["reason"] == "belfry-fleetd was stopped")
    }

    @Test func finishedRollIsForgottenByTheNextProcess() throws {
        let fleet = try FleetFixture(hosts: ["h1"])
        let roll = try fleet.call("Roll", Self.quick)
        try fleet.answer("h1")
        try fleet.answer("h1")
        try fleet.turn { roll.isOver }

        try fleet.restart()
        fleet.server.brokerConnected()

        #expect(try fleet.result("Continue").errorWord == "NothingToContinue")
    }
}
