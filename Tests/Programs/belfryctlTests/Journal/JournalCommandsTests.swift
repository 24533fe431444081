// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfryctl
import BelfryCommandLine
import Testing
import Varlink

struct JournalCommandsTests {
    private let timeline: JSONObject = [
        "trigger": "stop", "realtimeUsec": 0, "durationUsec": 100_000,
        "steps": [
            [
                "notification": "didEnterBackground", "startUsec": 1000,
                "listeners": [
                    ["listener": "cache", "outcome": "completed", "startUsec": 1000, "durationUsec": 50_000],
                    ["listener": "socket", "outcome": "completed", "startUsec": 51_000, "durationUsec": 3],
                ],
            ],
            [
                "notification": "willTerminate", "startUsec": 51_000,
                "listeners": [
                    ["listener": "video", "outcome": "overran", "startUsec": 51_000, "durationUsec": 50_000]
                ],
            ],
        ],
    ]

    @Test func barsStartAtTheirTime() {
        let lines = TimelinePlot.lines(timeline, .plain)

        #expect(lines[0].hasPrefix("stop took 100 ms, ended "))
        #expect(
            Array(lines.dropFirst()) == [
                "didEnterBackground", "  cache             |####################                    |  50 ms",
                "  socket            |                    #                   |  3 us", "willTerminate",
                "  video             |                    ####################|  50 ms, overran",
            ])
    }

    @Test(arguments: [Int64.max, .min, -1, 0])
    func extremeTimesAreDrawn(_ time: Int64) {
        for other in [Int64.max, .min, 1] {
            let call: JSONValue = ["listener": "a", "startUsec": .int(other), "durationUsec": .int(time)]
            let odd: JSONObject = [
                "realtimeUsec": .int(time), "durationUsec": .int(other),
                "steps": [["notification": "b", "startUsec": .int(time), "listeners": [call]]],
            ]

            let lines = TimelinePlot.lines(odd, .plain)

            #expect(lines.count == 3)
            #expect(lines[2].contains("#"))
        }
    }

    @Test func emptyTimelineIsATitle() {
        #expect(TimelinePlot.lines(["trigger": "pause", "durationUsec": 0], .plain).count == 1)
    }
}
