// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfrySystemd
import TestSupport
import Testing

/// With a stand-in for the service manager; the system tests use the real one.
@Suite(.timeLimit(.minutes(1)))
struct UnitWatchTests {
    private let fixture: BusFixture
    private let manager: BusPeer

    init() throws {
        fixture = try BusFixture()
        try fixture.startReady()
        manager = try fixture.peer("org.freedesktop.systemd1")
        manager.answer("GetAll") { reply in BusWriting.container("a", "{sv}", to: reply) {} }
    }

    private func calls(_ member: String) -> Int { manager.calls.count { $0 == member } }

    /// Follows a unit until its state is known.
    private func follow() throws -> UnitWatch {
        let watch = UnitWatch("lantern.service", on: fixture.bus) {}
        try fixture.turn { watch.state != nil }
        return watch
    }

    /// Otherwise it would never hear of a change.
    @Test func aManagerThatRefusesASubscriptionIsAskedAgain() throws {
        manager.refuse("Subscribe", with: "org.freedesktop.DBus.Error.NoReply")
        let watch = try follow()

        manager.refuse("Subscribe", with: nil)
        manager.answer("Subscribe") { _ in }
        let refused = calls("Subscribe")
        try fixture.turn { calls("Subscribe") > refused }
        let read = calls("GetAll")
        watch.read()
        try fixture.turn { calls("GetAll") > read }

        #expect(calls("Subscribe") == refused + 1)
    }

    @Test func aSubscriptionThatStandsIsNotAskedForAgain() throws {
        manager.refuse("Subscribe", with: "org.freedesktop.systemd1.AlreadySubscribed")
        let watch = try follow()
        let read = calls("GetAll")

        watch.read()
        try fixture.turn { calls("GetAll") > read }

        #expect(calls("Subscribe") == 1)
    }
}
