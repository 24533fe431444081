// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import Testing

@testable import belfry_fleetd

struct FleetViewTests {
    private static let second: Int64 = 1_000_000

    private var view = FleetView()

    init() { view.brokerConnected() }

    private func will(_ session: String = "s1") -> [UInt8] { HostReport.will(session: session).payload }

    private func state(_ name: String = "h1", at now: Int64 = 0) -> HostReport.State? {
        view.status(of: name, now: now)?.state
    }

    // States

    @Test mutating func hostHasTheStateOfItsReport() {
        let change = view.receive(state: HostReport.sample(sequence: 3), of: "h1", now: 0)

        #expect(change == FleetView.Change(isBirth: true, isVisible: true))
        let status = view.status(of: "h1", now: 0)
        #expect(status?.object["state"] == "active")
        #expect(status?.object["sinceUsec"] == 7)
        #expect(status?.object["ageUsec"] == nil)
        #expect(status?.object["sequence"] == 3)
        #expect(view.status(of: "h2", now: 0) == nil)
    }

    @Test mutating func renewalIsNoVisibleChange() {
        _ = view.receive(state: HostReport.sample(), of: "h1", now: 0)

        let change = view.receive(state: HostReport.sample(at: 30), of: "h1", now: 30)

        #expect(change == FleetView.Change())
    }

    @Test mutating func hostIsUnknownWithItsAgePastItsValidity() {
        _ = view.receive(state: HostReport.sample(), of: "h1", now: 0)
        #expect(view.sweep(now: 89 * Self.second).changed == [])

        let swept = view.sweep(now: 90 * Self.second)

        #expect(swept.changed == ["h1"])
        #expect(view.sweep(now: 91 * Self.second).changed == [])
        let status = view.status(of: "h1", now: 91 * Self.second)
        #expect(status?.object["state"] == "unknown")
        #expect(status?.ageUsec == 91 * Self.second)
        #expect(status?.sinceUsec == nil)
    }

    @Test(arguments: [HostReport.State.stopped, .asleep])
    mutating func lastReportsHold(state: HostReport.State) {
        _ = view.receive(state: HostReport.sample(state), of: "h1", now: 0)

        #expect(self.state(at: 1 << 60) == state)
    }

    @Test mutating func hostStaysUnknownUntilItIsHeardOfInTheNewConnection() {
        _ = view.receive(state: HostReport.sample(), of: "h1", now: 0)
        _ = view.receive(state: HostReport.sample(), of: "h2", now: 0)
        view.brokerLost()
        view.brokerConnected()
        #expect(state() == nil)

        let change = view.receive(state: HostReport.sample(), of: "h1", now: 1)

        #expect(change == FleetView.Change(isBirth: true, isVisible: true))
        #expect(state() == .active)
        #expect(state("h2") == nil)
    }

    @Test mutating func willOfTheSessionIsItsEnd() {
        _ = view.receive(state: HostReport.sample(sequence: 5), of: "h1", now: 0)

        let change = view.receive(state: will(), of: "h1", now: 9)

        #expect(change == FleetView.Change(isVisible: true))
        let status = view.status(of: "h1", now: 9)
        #expect(status?.state == .dead)
        #expect(status?.sinceUsec == 9)
        #expect(status?.bootID == "b1" && status?.version == "1.0" && status?.sequence == 5)
    }

    @Test mutating func willOfAnotherSessionIsIgnored() {
        _ = view.receive(state: HostReport.sample(.active, "s2"), of: "h1", now: 0)

        #expect(view.receive(state: will("s1"), of: "h1", now: 1) == nil)
        #expect(state() == .active)
    }

    @Test mutating func willOfASessionThatBeganWhileTheBrokerWasAwayCounts() {
        _ = view.receive(state: HostReport.sample(), of: "h1", now: 0)
        view.brokerLost()
        view.brokerConnected()

        let change = view.receive(state: will("s2"), of: "h1", now: 1)

        #expect(change == FleetView.Change(isVisible: true))
        #expect(state() == .dead)
        #expect(view.status(of: "h1", now: 1)?.sinceUsec == nil)
    }

    @Test mutating func hostThatIsFirstSeenDeadIsDead() {
        _ = view.receive(state: will(), of: "h1", now: 5)

        #expect(state(at: 5) == .dead)
        #expect(view.receive(state: HostReport.sample(.active, "s2"), of: "h1", now: 6)?.isBirth == true)
    }

    @Test mutating func deletedStateRemovesAHostThatIsGone() {
        for name in ["h1", "h2", "h3"] { _ = view.receive(state: HostReport.sample(), of: name, now: 0) }
        _ = view.receive(state: will(), of: "h1", now: 0)

        #expect(view.receive(state: [], of: "h1", now: 0)?.isVisible == true)
        #expect(view.receive(state: [], of: "h2", now: 0) == nil)
        #expect(view.receive(state: [], of: "other", now: 0) == nil)

        #expect(view.names() == ["h2", "h3"])
        #expect(state("h2") == .active && state("h3") == .active && state("h1") == nil)
    }

    @Test(arguments: ["{", "[]", #"{"state":"active","session":"a"}"#, #"{"state":"flying","session":"a"}"#])
    mutating func invalidReportsAreIgnored(text: String) {
        _ = view.receive(state: HostReport.sample(), of: "h1", now: 0)

        #expect(view.receive(state: Array(text.utf8), of: "h1", now: 0) == nil)
        #expect(view.receive(state: Array(text.utf8), of: "h2", now: 0) == nil)

        #expect(state() == .active)
        #expect(view.names() == ["h1"])
        #expect(view.invalidMessages == 2)
    }

    @Test func hostsBeyondTheLimitAreCounted() {
        var view = FleetView(hostsMax: 2)
        for name in ["h1", "h2"] { _ = view.receive(state: HostReport.sample(), of: name, now: 0) }

        #expect(view.receive(state: HostReport.sample(), of: "h3", now: 0) == nil)
        #expect(view.receive(state: HostReport.sample(), of: "h1", now: 0) != nil)

        #expect(view.names() == ["h1", "h2"])
        #expect(view.excessReports == 1)
    }
}
