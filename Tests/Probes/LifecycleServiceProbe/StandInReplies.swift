// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Varlink

/// Replies that do not depend on anything.
enum StandInReplies {
    static let listeners: JSONObject = [
        "listeners": [
            [
                "name": "service-manager", "interests": ["a", "willTerminate"], "order": 0,
                "deadlineUsec": 10_000_000, "calls": 4, "failures": 0, "lastOutcome": "completed",
                "lastDurationUsec": 120, "longestDurationUsec": 1400,
            ],
            [
                "name": "cache", "interests": ["flushRequested"], "order": 1, "deadlineUsec": 90_000_000, "calls": 1,
                "failures": 1, "lastOutcome": "overran", "lastDurationUsec": 90_000_000,
                "longestDurationUsec": 90_000_000,
            ],
            ["name": "new", "interests": [], "order": 2, "deadlineUsec": 1_000_000, "calls": 0, "failures": 0],
        ]
    ]

    static let signals: JSONObject = [
        "signals": [
            ["signal": "SIGHUP", "number": 1, "action": "reload"],
            ["signal": "SIGRTMIN+5", "number": 39, "action": "org.example.doorbell"],
        ]
    ]

    static func reports(failing: Bool) -> [JSONValue] {
        let outcome: JSONValue = failing ? "failed" : "completed"
        let reason: JSONValue = failing ? "disk is full" : .null
        return [
            ["listener": "logger", "outcome": "completed", "durationUsec": 1250],
            ["listener": "cache", "outcome": outcome, "reason": reason, "durationUsec": 90],
        ]
    }
}
