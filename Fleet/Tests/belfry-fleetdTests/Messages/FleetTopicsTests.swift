// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Testing

@testable import belfry_fleetd

struct FleetTopicsTests {
    private let topics = FleetTopics(fleet: "prod")

    @Test func topicsAreReadBack() {
        #expect(topics.parse(topics.state(of: "h1"))?.use == .state)
        #expect(topics.parse(topics.notification("a.b", of: "h1"))?.use == .notification)
        #expect(topics.parse(topics.command(from: "op", to: "h1"))?.use == .command(sender: "op"))
        #expect(topics.parse(topics.reply(to: "op", from: "h1"))?.use == .reply(sender: "op"))
        #expect(topics.parse(topics.state(of: "h1"))?.host == "h1")
    }

    @Test(arguments: [
        "", "belfry", "belfry/prod/h1", "belfry/other/h1/state", "belfry/prod//state", "belfry/prod/h 1/state",
        "belfry/prod/h1/state/x", "belfry/prod/h1/command", "belfry/prod/h1/command/", "belfry/prod/h1/command/+",
        "other/prod/h1/state",
    ])
    func otherTopicsAreRefused(topic: String) {
        #expect(topics.parse(topic) == nil)
    }
}
