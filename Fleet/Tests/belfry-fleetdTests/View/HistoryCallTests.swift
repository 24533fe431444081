// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import TestSupport
import Testing
import Varlink

@testable import belfry_fleetd

@Suite(.timeLimit(.minutes(1)))
struct HistoryCallTests {
    private func words(_ call: ReplyRecorder) -> [String] {
        call.replies.map { reply in
            [
                reply["host"]?.stringValue, reply["notification"]?["sequence"]?.intValue?.description,
                reply["outcome"]?.stringValue, reply["reason"]?.stringValue,
            ].compactMap(\.self).joined(separator: " ")
        }
    }

    @Test func hostsSendWhatTheyHave() throws {
        let fleet = try FleetFixture(hosts: ["h1", "h2"])
        let history = try fleet.call("History")

        #expect(try fleet.answer("h2", with: 7...8) == .notifications(bootID: nil, after: 0))
        _ = try fleet.answer("h1", with: 1...1)
        try fleet.turn { history.isOver }

        #expect(words(history) == ["h2 7", "h2 8", "h2 done", "h1 1", "h1 done"])
    }

    @Test func whatIsMissingAfterTheNumberIsTold() throws {
        let fleet = try FleetFixture(hosts: ["h1"])
        let history = try fleet.call("History", ["after": 4])

        #expect(try fleet.answer("h1", with: 7...8) == .notifications(bootID: nil, after: 4))
        try fleet.turn { history.isOver }

        #expect(words(history) == ["h1 7", "h1 8", "h1 failed notifications 5 to 6 are missing"])
    }

    @Test func hostThatSendsOnlySomeIsAskedAgain() throws {
        let fleet = try FleetFixture()
        fleet.report("h1", sequence: 4)
        let history = try fleet.call("History")

        _ = try fleet.answer("h1", with: 1...2)
        #expect(try fleet.answer("h1", with: 3...4) == .notifications(bootID: nil, after: 2))
        try fleet.turn { history.isOver }

        #expect(words(history) == ["h1 1", "h1 2", "h1 3", "h1 4", "h1 done"])
    }

    @Test func whatIsSentTwiceComesOnce() throws {
        let fleet = try FleetFixture(hosts: ["h1"])
        let history = try fleet.call("History")
        let command = try fleet.command(to: "h1")
        for number: Int64 in [1, 2, 1, 2, 3] {
            fleet.reply("h1", FleetReply(id: command.id, .notification(FleetFixture.notification(number))))
        }
        fleet.reply("h1", FleetReply(id: command.id, .done))
        try fleet.turn { history.isOver }

        #expect(words(history) == ["h1 1", "h1 2", "h1 3", "h1 done"])
    }

    @Test func hostsThatDoNotSendAreNamed() throws {
        let fleet = try FleetFixture(hosts: ["h1", "h2", "h3"])
        fleet.kill("h1")
        let history = try fleet.call("History", ["timeoutUsec": 50_000])

        try fleet.answer("h2", .failed, "no")
        try fleet.turn { history.isOver }

        #expect(words(history) == ["h1 away", "h2 failed no", "h3 timeout"])
    }

    @Test func onlySoManyHostsAreAskedAtATime() throws {
        let fleet = try FleetFixture(hosts: (10..<50).map { "h\($0)" })
        let history = try fleet.call("History")
        try fleet.turn { !fleet.broker.commands.isEmpty }
        #expect(fleet.broker.commands.count == HistoryCall.hostsAtATime)

        _ = try fleet.answer("h10", with: 1...1)
        #expect(fleet.broker.commands.count == HistoryCall.hostsAtATime)
        for number in 11..<50 { _ = try fleet.answer("h\(number)", with: 1...1) }
        try fleet.turn { history.isOver }

        #expect(history.replies.count == 80)
    }

    @Test func onlySoManyCallsOfAUserRunAtATime() throws {
        let fleet = try FleetFixture(hosts: ["h1"])
        let calls = try (0..<7).map { _ in try fleet.call("History") }
        try fleet.turn { fleet.broker.commands.count == HistoryAdmission.callsOfUser }
        _ = try fleet.result("List")
        #expect(fleet.broker.commands.count == HistoryAdmission.callsOfUser)

        // Two leave, of which one waits.
        calls[0].client.close()
        calls[6].client.close()
        try fleet.turn { fleet.broker.commands.count == HistoryAdmission.callsOfUser + 1 }
        for _ in 0..<6 { _ = try fleet.answer("h1", with: 1...1) }

        try fleet.turn { calls[1...5].allSatisfy(\.isOver) }
        #expect(calls[1...5].allSatisfy { words($0) == ["h1 1", "h1 done"] })
        #expect(fleet.broker.commands.isEmpty)
    }

    @Test func clientThatDoesNotReadIsEnded() throws {
        let fleet = try FleetFixture(hosts: ["h1", "h2"])
        let history = try fleet.call("History")
        let command = try fleet.command(to: "h1")
        history.client.setPaused(true)
        for number in Int64(1)...2000 {
            let notification = FleetFixture.notification(number, filler: 1000)
            fleet.reply("h1", FleetReply(id: command.id, .notification(notification)))
        }
        history.client.setPaused(false)
        try fleet.turn { history.isOver }

        #expect(history.errorWord == "Overrun")
    }

    @Test func hostsAreNotAskedForAClientThatIsGone() throws {
        let fleet = try FleetFixture(hosts: (10..<50).map { "h\($0)" })
        let history = try fleet.call("History")
        try fleet.turn { !fleet.broker.commands.isEmpty }

        history.client.close()
        _ = try fleet.result("List")
        _ = try fleet.answer("h10", with: 1...1)

        #expect(fleet.broker.commands.count == HistoryCall.hostsAtATime - 1)
    }
}
