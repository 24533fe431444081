// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfrySources
import Testing

struct StormLimiterTests {
    private func at(_ milliseconds: UInt64) -> MonotonicInstant {
        MonotonicInstant(microseconds: 5_000_000 + milliseconds * 1000)
    }

    private func limiter(burst: Int) -> StormLimiter {
        StormLimiter(StormLimiter.Limit(burst: burst, interval: .seconds(1)))
    }

    @Test func withinTheLimitEverythingPasses() {
        var limiter = limiter(burst: 3)

        #expect([0, 1, 2].map { limiter.admit(at: at($0)) } == [.pass, .pass, .pass])
        #expect([1000, 1001, 1002].map { limiter.admit(at: at($0)) } == [.pass, .pass, .pass])
        #expect(!limiter.isStorming)
    }

    @Test func beyondTheLimitIsCountedUntilItIsTaken() {
        var limiter = limiter(burst: 2)
        _ = limiter.admit(at: at(0))
        _ = limiter.admit(at: at(100))

        #expect(limiter.admit(at: at(300)) == .excess(isFirst: true))
        #expect(limiter.admit(at: at(400)) == .excess(isFirst: false))
        #expect(limiter.remaining(at: at(400)) == .milliseconds(600))
        // The window is over, but nobody came to take what it had: the order of deliveries counts more.
        #expect(limiter.admit(at: at(1500)) == .excess(isFirst: false))
        #expect(limiter.remaining(at: at(1500)) == .zero)
        #expect(limiter.isStorming)
        #expect(limiter.takeExcess(at: at(1500)) == 3)
        #expect(!limiter.isStorming)
    }

    @Test func windowAfterAStormBeginsWithWhatWasMerged() {
        var limiter = limiter(burst: 2)
        for time: UInt64 in 0..<5 { _ = limiter.admit(at: at(time)) }
        #expect(limiter.takeExcess(at: at(1000)) == 3)

        #expect(limiter.admit(at: at(1001)) == .pass)
        #expect(limiter.admit(at: at(1002)) == .excess(isFirst: true))
        #expect(limiter.remaining(at: at(1002)) == .milliseconds(998))
    }

    @Test func nothingIsEverLost() {
        var limiter = limiter(burst: 7)
        var passed = 0
        var merged = 0
        for step: UInt64 in 0..<10_000 {
            if limiter.admit(at: at(step)) == .pass { passed += 1 }
            if step % 1000 == 999 { merged += limiter.takeExcess(at: at(step)) }
        }

        #expect(passed + merged == 10_000)
        #expect(passed < 100)
    }

    @Test func withoutALimitThereIsNoStorm() {
        var limiter = StormLimiter(nil)

        #expect((0..<5000).allSatisfy { _ in limiter.admit(at: at(0)) == .pass })
    }

    @Test func burstOfNothingIsABurstOfOne() {
        #expect(StormLimiter.Limit(burst: 0, interval: .seconds(1)).burst == 1)
    }
}
