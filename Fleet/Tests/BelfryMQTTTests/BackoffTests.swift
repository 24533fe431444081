// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Testing

@testable import BelfryMQTT

struct BackoffTests {
    @Test func boundDoublesUpToAMinute() {
        var backoff = Backoff()

        let bounds = (0..<10).map { _ in backoff.next(1) }
        backoff.reset()

        #expect(bounds == [0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        #expect(backoff.next(1) == .milliseconds(500))
    }

    @Test func allOfTheTimeIsRandom() {
        var backoff = Backoff()

        #expect(backoff.next(0) == .zero)
        #expect(backoff.next(0.25) == .milliseconds(250))
        #expect((0..<20).allSatisfy { _ in backoff.next() < .seconds(60) })
    }
}
