// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfryctl
import Varlink

/// Histories for the tests of the plot. Times are in seconds.
@MainActor
enum HistorySamples {
    static let bootID = "b"

    static func notification(
        _ sequence: Int64, _ name: String, at seconds: Double, _ previousState: String = "active",
        _ state: String = "active", origin: JSONObject = ["kind": "service"], info: JSONObject = [:]
    ) -> JSONObject {
        let time = Int64(seconds * 1_000_000)
        return [
            "sequence": .int(sequence), "name": .string(name), "state": .string(state),
            "previousState": .string(previousState), "realtimeUsec": .int(1_000_000_000 + time),
            "monotonicUsec": .int(time), "bootId": .string(bootID), "origin": .object(origin),
            "userInfo": .object(info),
        ]
    }

    static func step(_ sequence: Int64, _ calls: [(listener: String, outcome: String, at: Double, took: Double)])
        -> JSONValue
    {
        [
            "sequence": .int(sequence),
            "listeners": .array(
                calls.map { call in
                    [
                        "listener": .string(call.listener), "outcome": .string(call.outcome),
                        "startUsec": .int(Int64(call.at * 1_000_000)),
                        "durationUsec": .int(Int64(call.took * 1_000_000)),
                    ]
                }),
        ]
    }

    static func history(_ notifications: [JSONObject], _ timelines: [JSONValue] = []) -> SpanHistory {
        var history = SpanHistory()
        for notification in notifications { history.add(notification) }
        for timeline in timelines { add(timeline, to: &history) }
        return history
    }

    /// Adds a timeline.
    ///
    /// - Parameter end: when it was written.
    static func add(_ timeline: JSONValue, bootID: String = bootID, at end: Double = 0, to history: inout SpanHistory) {
        history.add(timeline: timeline, bootID: bootID, writtenAt: 1_000_000_000 + Int64(end * 1_000_000))
    }

    /// A memory warning that two listeners answer, a pause that ends in SIGSTOP, a freeze and a stop.
    static var story: SpanHistory {
        var history = history(
            [
                notification(4, "didReceiveMemoryWarning", at: 0, info: ["level": "warning"]),
                notification(5, "willResignActive", at: 20, "active", "inactive"),
                notification(6, "didEnterBackground", at: 21, "inactive", "background"),
                notification(7, "didResume", at: 40, "suspended", "background", info: ["cause": "signal"]),
                notification(8, "willEnterForeground", at: 40, "background", "inactive"),
                notification(9, "didBecomeActive", at: 40, "inactive", "active"),
                notification(
                    10, "didResume", at: 60, "suspended", "active",
                    info: ["cause": "freezer", "durationUsec": 5_000_000]),
                notification(11, "willTerminate", at: 70, "active", "notRunning"),
            ],
            [[step(4, [("cacheFlush", "completed", 0.1, 2), ("thumbnails", "overran", 2.1, 10)])]])
        add(
            [step(5, [("upload", "failed", 20, 0.5)]), step(6, [("cacheFlush", "completed", 21, 1)])], at: 22,
            to: &history)
        return history
    }
}
