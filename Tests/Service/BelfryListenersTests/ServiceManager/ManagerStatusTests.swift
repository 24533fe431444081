// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
@testable import BelfryListeners
import Testing

struct ManagerStatusTests {
    private var extensions = TimeoutExtension()
    private let start = MonotonicInstant(microseconds: 1_000_000)

    private func later(_ milliseconds: Int) -> MonotonicInstant {
        MonotonicInstant(microseconds: start.microseconds + UInt64(milliseconds) * 1000)
    }

    @Test mutating func requestedTimeHasSlack() {
        #expect(extensions.time(for: .seconds(5), at: start) == .seconds(5) + TimeoutExtension.slack)
    }

    @Test mutating func sufficientTimeIsNotRequestedAgain() {
        var asked = 0
        // A report every millisecond for 10 s, each for the next 5 s.
        for millisecond in 0..<10_000 {
            let now = later(millisecond)
            if extensions.time(for: .seconds(5), at: now) != nil { asked += 1 }
        }

        #expect(asked == 10)
    }

    @Test mutating func requestedTimeCoversTheNeededTime() {
        var granted = (from: start, time: Duration.zero)
        for step in 0..<200 {
            let now = later(step * 370)
            let needed = Duration.milliseconds(700 + step % 7 * 900)
            if let time = extensions.time(for: needed, at: now) { granted = (now, time) }
            #expect(granted.time - (now - granted.from) >= needed)
        }
    }

    @Test mutating func statusUpdatesAreRateLimited() {
        let due = (0..<1000).filter { extensions.isDue(at: later($0)) }

        #expect(due == [0, 200, 400, 600, 800])
    }
}
