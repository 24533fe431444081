// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

struct ManualClockTests {
    let clock = ManualClock()

    /// The time since the clock was made.
    private var elapsed: Duration { clock.monotonic - ManualClock().monotonic }

    @Test func timersWaitForTheEndOfATurnThatBlocks() {
        var fired: [Duration] = []
        _ = clock.schedule(after: .seconds(1)) { fired.append(elapsed) }

        clock.block(for: .seconds(3))
        _ = clock.schedule(after: .seconds(1)) { fired.append(elapsed) }
        #expect(fired.isEmpty && elapsed == .seconds(3))
        clock.advance(by: .zero)
        #expect(fired == [.seconds(3)])
        clock.advance(by: .seconds(1))

        #expect(fired == [.seconds(3), .seconds(4)])
    }

    @Test func timePassesInTheTurnOfATimerAndNoOtherFires() {
        var fired: [String] = []
        _ = clock.schedule(after: .seconds(1)) {
            clock.advance(by: .seconds(5))
            fired.append("first, after \(elapsed)")
        }
        _ = clock.schedule(after: .seconds(2)) { fired.append("second, after \(elapsed)") }

        clock.advance(by: .seconds(2))

        #expect(fired == ["first, after 6.0 seconds", "second, after 6.0 seconds"])
        #expect(elapsed == .seconds(6))
    }
}
