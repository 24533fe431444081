// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySystemd
import Testing
import BelfryJSON

struct JournalNotificationReaderTests {
    private let fields = [
        "BELFRY_NOTIFICATION": "didEnterBackground", "BELFRY_SEQUENCE": "7", "BELFRY_STATE": "background",
        "BELFRY_PREVIOUS_STATE": "inactive", "BELFRY_ORIGIN": "signal", "BELFRY_REALTIME_USEC": "1767358802123456",
        "BELFRY_MONOTONIC_USEC": "5", "BELFRY_SIGNAL": "SIGTSTP", "BELFRY_SIGNAL_VALUE": "0", "BELFRY_SENDER_PID": "12",
        "BELFRY_SENDER_UID": "0", "BELFRY_SENDER_UNIT": "init.scope",
        "BELFRY_SENDER_COMMAND": "systemd", "BELFRY_SIGNAL_SENDER": "outside", "BELFRY_TRIGGER": "pause",
    ]

    @Test func recordGivesTheNotificationThatWasSent() {
        #expect(
            JournalNotificationReader.object(fields, bootID: "b007") == [
                "sequence": 7, "name": "didEnterBackground", "state": "background", "previousState": "inactive",
                "realtimeUsec": 1_767_358_802_123_456, "monotonicUsec": 5, "bootId": "b007",
                "origin": [
                    "kind": "signal", "signal": "SIGTSTP", "pid": 12, "uid": 0, "unit": "init.scope",
                    "command": "systemd", "sender": "outside", "value": 0,
                ], "trigger": "pause", "userInfo": [:],
            ])
    }

    @Test func membersComeInTheOrderOfTheSocket() {
        #expect(
            JournalNotificationReader.object(fields, bootID: "b007")?.keys == [
                "sequence", "name", "state", "previousState", "bootId", "origin", "trigger", "realtimeUsec",
                "monotonicUsec", "userInfo",
            ])
    }

    @Test func otherRecordsGiveNoNotification() {
        var fields = fields
        fields["BELFRY_LISTENER"] = "cache"

        #expect(JournalNotificationReader.object(fields, bootID: "b007") == nil)
        #expect(JournalNotificationReader.object(["MESSAGE": "x"], bootID: "b007") == nil)
    }
}
