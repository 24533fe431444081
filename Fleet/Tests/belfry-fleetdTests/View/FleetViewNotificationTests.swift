// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import Testing

@testable import belfry_fleetd

struct FleetViewNotificationTests {
    private var view = FleetView()

    init() { view.brokerConnected() }

    private func notification(_ sequence: Int64, _ boot: String = "b1") -> JSONObject {
        ["sequence": .int(sequence), "bootId": .string(boot), "name": "x"]
    }

    @Test mutating func notificationsOfOthersAreNotNew() {
        _ = view.receive(state: HostReport.sample(sequence: 4), of: "h1", now: 0)
        #expect(view.receive(notification(5), of: "h1") == false)
        view.follow(true)

        #expect(view.receive(notification(5, "b2"), of: "h1") == false)
        #expect(view.receive(notification(5), of: "h2") == false)
        #expect(view.receive(["sequence": 0, "bootId": "b1"], of: "h1") == false)
        #expect(view.receive(["sequence": 5], of: "h1") == false)
        #expect(view.invalidMessages == 2)
    }

    @Test mutating func whatAHostHadWhileItWasAwayIsAskedForEvenIfNothingCameBefore() {
        _ = view.receive(state: HostReport.sample(sequence: 4), of: "h1", now: 0)
        view.follow(true)
        view.brokerLost()
        view.brokerConnected()

        _ = view.receive(state: HostReport.sample(.active, "s2", at: 0, sequence: 9), of: "h1", now: 0)

        _ = view.sweep(now: 1)
        #expect(view.sweep(now: 2).gaps == [FleetView.Gap(host: "h1", bootID: "b1", after: 4)])
    }

    @Test mutating func whatAHostHadBeforeItWasFollowedIsNotAskedFor() {
        _ = view.receive(state: HostReport.sample(sequence: 4), of: "h1", now: 0)
        view.follow(true)

        _ = view.receive(state: HostReport.sample(sequence: 9), of: "h1", now: 0)

        _ = view.sweep(now: 1)
        #expect(view.sweep(now: 2).gaps == [])
    }

    @Test mutating func reportThatTheBrokerKeptFromAnEarlierBootIsIgnored() {
        view.follow(true)
        _ = view.receive(state: HostReport.sample(.active, "s2", at: 5, boot: "b2", sequence: 4), of: "h1", now: 5)
        #expect(view.receive(notification(5, "b2"), of: "h1") == true)
        view.brokerLost()
        view.brokerConnected()

        let kept = HostReport.sample(.active, "s1", at: 3, boot: "b1", sequence: 9)
        #expect(view.receive(state: kept, of: "h1", isRetained: true, now: 6) == nil)
        _ = view.receive(state: HostReport.sample(.active, "s3", at: 7, boot: "b2", sequence: 5), of: "h1", now: 7)

        _ = view.sweep(now: 8)
        #expect(view.sweep(now: 9).gaps == [])
        #expect(view.receive(notification(5, "b2"), of: "h1") == false)
        #expect(view.receive(notification(6, "b2"), of: "h1") == true)
    }

    @Test mutating func hostThatIsGoneIsNotAsked() {
        view.follow(true)
        _ = view.receive(state: HostReport.sample(sequence: 4), of: "h1", now: 0)
        _ = view.receive(notification(7), of: "h1")

        _ = view.receive(state: HostReport.will(session: "s1").payload, of: "h1", now: 0)

        #expect(view.sweep(now: 1).gaps == [])
        #expect(view.sweep(now: 2).gaps == [])
    }

    @Test mutating func onlySoManyHostsAreAskedAtATime() {
        view.follow(true)
        for number in 0..<40 {
            _ = view.receive(state: HostReport.sample(sequence: 4), of: "h\(number)", now: 0)
            _ = view.receive(notification(7), of: "h\(number)")
        }
        _ = view.sweep(now: 1)

        let first = view.sweep(now: 2).gaps
        #expect(first.count == FleetView.questionsMax)
        #expect(view.sweep(now: 3).gaps == [])

        for gap in first {
            for number in Int64(5)...7 { #expect(view.receive(notification(number), of: gap.host) == true) }
            #expect(view.endQuestion(to: gap.host, .done(last: nil)) == nil)
        }
        #expect(view.sweep(now: 4).gaps.count == FleetView.questionsMax)
    }
}
