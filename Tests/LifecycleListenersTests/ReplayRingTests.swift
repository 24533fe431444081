// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import LifecycleListeners
import Testing

struct ReplayRingTests {
    private func ring(_ range: ClosedRange<UInt64>, capacity: Int, after last: UInt64) -> ReplayRing<UInt64> {
        var ring = ReplayRing<UInt64>(capacity: capacity, after: last)
        for sequence in range { ring.append(sequence, sequence: sequence) }
        return ring
    }

    @Test(arguments: [0, 1, 3, 4, 5, 6, 9, 10, 11, 99] as [UInt64])
    func givesAllThatCameAfterOrNothing(after: UInt64) {
        let ring = ring(4...10, capacity: 5, after: 3)

        let replay = ring.elements(after: after)

        #expect(ring.oldest == 6)
        #expect(replay == (after < 5 ? nil : after >= 10 ? [] : Array((after + 1)...10)))
    }

    @Test func withoutCapacityOnlyThePresentIsKnown() {
        let ring = ring(1...3, capacity: 0, after: 0)

        #expect(ring.oldest == 4)
        #expect(ring.elements(after: 3) == [])
        #expect(ring.elements(after: 2) == nil)
    }

    @Test func beforeTheFirstNothingWasMissed() {
        let ring = ReplayRing<UInt64>(capacity: 8, after: 41)

        #expect(ring.elements(after: 41) == [])
        #expect(ring.elements(after: 40) == nil)
        #expect(ring.oldest == 42)
    }
}
