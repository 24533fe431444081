// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import TestSupport
import Testing
import Varlink

@testable import belfry_fleetd

@Suite(.timeLimit(.minutes(1)))
struct WatchListTests {
    private static let notifications = "belfry/test/+/notification/+"

    /// The replies as text: host, its state, number of the notification, note.
    private func words(_ call: ReplyRecorder) -> [String] {
        call.replies.map { reply in
            let notification = reply["notification"]
            let host = reply["host"]
            let state = notification == nil && reply["note"] == nil ? host?["state"]?.stringValue : nil
            return [
                host?["name"]?.stringValue, state, notification?["sequence"]?.intValue?.description,
                reply["note"]?.stringValue,
            ].compactMap(\.self).joined(separator: " ")
        }
    }

    private func watch(_ fleet: FleetFixture, _ parameters: JSONObject = [:], hosts: Int) throws -> ReplyRecorder {
        let watch = try fleet.call("Watch", parameters)
        try fleet.turn { watch.replies.count >= hosts && !fleet.broker.topics.isDisjoint(with: [Self.notifications]) }
        return watch
    }

    @Test func hostsComeFirstThenChangesAndNotifications() throws {
        let fleet = try FleetFixture(hosts: ["h2", "h1"])
        let watch = try watch(fleet, hosts: 2)

        fleet.report("h1", .background)
        fleet.notify("h2", 5)
        fleet.notify("h2", 5)
        fleet.notify("h2", 6)
        try fleet.turn { watch.replies.count >= 5 }

        #expect(words(watch) == ["h1 active", "h2 active", "h1 background", "h2 5", "h2 6"])
    }

    @Test func onlyWhatWasAskedForIsSent() throws {
        let fleet = try FleetFixture(hosts: ["web1", "db1"])
        let watch = try watch(fleet, ["hosts": "web*", "names": ["wanted"]], hosts: 1)

        fleet.report("db1", .background)
        fleet.notify("db1", 1, name: "wanted")
        fleet.notify("web1", 1)
        fleet.notify("web1", 2, name: "wanted")
        try fleet.turn { watch.replies.count >= 2 }

        #expect(words(watch) == ["web1 active", "web1 2"])
    }

    @Test func notificationsAreReceivedOnlyWhileSomebodyWatches() throws {
        let fleet = try FleetFixture(hosts: ["h1"])
        #expect(fleet.broker.topics == ["belfry/test/+/state", "belfry/test/+/reply/op"])

        let first = try watch(fleet, hosts: 1)
        let second = try watch(fleet, hosts: 1)
        first.client.close()
        _ = try fleet.result("List")
        #expect(fleet.broker.topics.contains(Self.notifications))
        second.client.close()

        try fleet.turn { !fleet.broker.topics.contains(Self.notifications) }
    }

    @Test func lossOfTheBrokerIsTold() throws {
        let fleet = try FleetFixture(hosts: ["h1"])
        let watch = try watch(fleet, hosts: 1)

        fleet.server.brokerLost("cable cut")
        fleet.server.brokerConnected()
        fleet.report("h1")
        try fleet.turn { watch.replies.count >= 5 }

        #expect(
            words(watch) == [
                "h1 active", "every host is unknown: cable cut", "h1 unknown", "connected to the broker", "h1 active",
            ])
    }

    @Test func clientIsToldThatThereIsNoBroker() throws {
        let fleet = try FleetFixture(connected: false)

        let watch = try watch(fleet, hosts: 1)

        #expect(words(watch) == ["every host is unknown: there has been no connection to the broker yet"])
    }

    @Test func missingNotificationsAreAskedFor() throws {
        let fleet = try FleetFixture(hosts: ["h1"])
        let watch = try watch(fleet, hosts: 1)
        fleet.notify("h1", 4)
        fleet.notify("h1", 7)

        let action = try fleet.answer("h1", with: 5...7)
        fleet.notify("h1", 8)
        try fleet.turn { watch.replies.count >= 6 }

        #expect(action == .notifications(bootID: "b1", after: 4))
        #expect(words(watch) == ["h1 active", "h1 4", "h1 5", "h1 6", "h1 7", "h1 8"])
    }

    @Test func notificationsThatDoNotComeAreTold() throws {
        let fleet = try FleetFixture(hosts: ["h1"])
        let watch = try watch(fleet, hosts: 1)
        fleet.notify("h1", 4)
        fleet.notify("h1", 7)

        try fleet.answer("h1", .failed, "no journal")
        fleet.notify("h1", 8)
        try fleet.turn { watch.replies.count >= 4 }

        #expect(
            words(watch) == ["h1 active", "h1 4", "h1 notifications 5 to 7 are missing: failed: no journal", "h1 8"])
    }

    @Test func hostThatIsRemovedIsTold() throws {
        let fleet = try FleetFixture(hosts: ["h1"])
        let watch = try watch(fleet, hosts: 1)

        fleet.kill("h1")
        fleet.server.receive([], from: "h1", .state, isRetained: false)
        try fleet.turn { watch.replies.count >= 3 }

        #expect(words(watch) == ["h1 active", "h1 dead", "h1 was removed"])
    }

    @Test func clientThatDoesNotReadIsEndedAndOthersAreNot() throws {
        let fleet = try FleetFixture(hosts: ["h1"])
        let slow = try watch(fleet, hosts: 1)
        let quick = try watch(fleet, hosts: 1)
        slow.client.setPaused(true)

        for number in Int64(1)...2000 {
            fleet.notify("h1", number, filler: 1000)
            if number.isMultiple(of: 100) { try fleet.turn { quick.replies.count == number + 1 } }
        }
        slow.client.setPaused(false)
        try fleet.turn { slow.isOver }

        #expect(slow.errorWord == "Overrun")
        #expect(quick.errorWord == nil)
    }

    @Test func manyHostsAreToldAsFastAsTheClientReads() throws {
        let hosts = (0..<10_000).map { "host\($0)" }
        let fleet = try FleetFixture(hosts: hosts)
        let watch = try fleet.call("Watch")
        watch.client.setPaused(true)
        try fleet.turn { fleet.broker.topics.contains(Self.notifications) }
        try fleet.loop.turnWithoutWaiting()

        fleet.server.brokerLost("lost")
        watch.client.setPaused(false)
        try fleet.turn {
            let last = watch.replies.last?["host"]
            return watch.isOver || (last?["name"] == "host9999" && last?["state"] == "unknown")
        }

        #expect(watch.errorWord == nil && watch.replies.count > hosts.count)
    }
}
