// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryControl
import Testing
import Varlink

struct JournalNotificationTests {
    private let fields = [
        "BELFRY_NOTIFICATION": "didEnterBackground", "BELFRY_SEQUENCE": "7", "BELFRY_STATE": "background",
        "BELFRY_PREVIOUS_STATE": "inactive", "BELFRY_ORIGIN": "signal", "BELFRY_REALTIME_USEC": "1767358802123456",
        "BELFRY_MONOTONIC_USEC": "5", "BELFRY_SIGNAL": "SIGTSTP", "BELFRY_SIGNAL_VALUE": "0", "BELFRY_SENDER_PID": "12",
        "BELFRY_SENDER_UID": "0", "_BOOT_ID": "b007",
    ]

    @Test func recordIsTheNotificationThatWasSent() {
        #expect(
            JournalNotification.object(fields) == [
                "sequence": 7, "name": "didEnterBackground", "state": "background", "previousState": "inactive",
                "realtimeUsec": 1_767_358_802_123_456, "monotonicUsec": 5, "bootId": "b007",
                "origin": ["kind": "signal", "signal": "SIGTSTP", "pid": 12, "uid": 0, "value": 0], "userInfo": [:],
            ])
    }

    @Test func outcomeOfAListenerIsNone() {
        var fields = fields
        fields["BELFRY_LISTENER"] = "cache"

        #expect(JournalNotification.object(fields) == nil)
        #expect(JournalNotification.object(["MESSAGE": "x"]) == nil)
    }

    @Test func metricsAreATable() {
        let metrics: [VarlinkObject] = [
            ["name": "io.belfry.Lifecycle.State", "value": "active"],
            ["name": "io.belfry.Lifecycle.ListenerCallsTotal", "value": 12, "object": "lamp"],
            ["name": "x.y.NotificationsTotal", "value": 3, "fields": ["notification": "flushRequested"]],
        ]

        #expect(
            MetricTable.lines(metrics, .plain) == [
                "METRIC                  OF               VALUE", "State                                   active",
                "ListenerCallsTotal      lamp                12", "x.y.NotificationsTotal  flushRequested       3",
            ])
    }
}
