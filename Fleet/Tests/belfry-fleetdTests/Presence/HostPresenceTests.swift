// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import Testing

@testable import belfry_fleetd

struct HostPresenceTests {
    private var presence = HostPresence(now: 1)
    private let active: JSONObject = ["state": "active", "bootId": "b", "sequence": 7, "version": "1"]

    @Test mutating func reportHasWhatTheServiceSays() {
        let isChanged = presence.receive(state: active, now: 2)
        #expect(isChanged)
        let report = presence.report(session: "s", now: 10, renewalUsec: 5)
        #expect(report.state == .active && report.sinceUsec == 2 && report.sequence == 7 && report.bootID == "b")
        #expect(report.timeUsec == 10 && report.validUntilUsec == 25 && report.session == "s" && report.version == "1")
    }

    @Test mutating func changeOfStateIsTold() {
        _ = presence.receive(state: active, now: 2)
        let flush: JSONObject = ["name": "flushRequested", "state": "active", "sequence": 8, "bootId": "b"]
        let isChangedByFlush = presence.receive(notification: flush, now: 3)
        #expect(!isChangedByFlush)
        #expect(presence.sequence == 8)
        let resign: JSONObject = ["name": "willResignActive", "state": "inactive", "sequence": 9, "realtimeUsec": 4]
        let isChangedByPause = presence.receive(notification: resign, now: 5)
        #expect(isChangedByPause)
        #expect(presence.state == .inactive && presence.sinceUsec == 4 && presence.bootID == "b")
    }

    @Test mutating func plannedStopIsNotACrash() {
        _ = presence.receive(state: active, now: 2)
        _ = presence.receive(notification: ["name": "willTerminate", "state": "notRunning"], now: 3)
        let isChangedByEnd = presence.serviceEnded(now: 4)
        #expect(!isChangedByEnd)
        #expect(presence.state == .stopped)
        _ = presence.receive(state: active, now: 5)
        _ = presence.serviceEnded(now: 6)
        #expect(presence.state == .notRunning)
    }

    @Test mutating func stateOfALaterVersionIsNotCountedOn() {
        _ = presence.receive(state: ["state": "dreaming"], now: 2)
        #expect(presence.state == .notRunning)
    }

    @Test mutating func lastReportHasNoEnd() {
        _ = presence.receive(state: active, now: 2)
        let report = presence.last(.asleep, session: "s", now: 9)
        #expect(report.state == .asleep && report.sinceUsec == 9 && report.validUntilUsec == nil)
    }
}
