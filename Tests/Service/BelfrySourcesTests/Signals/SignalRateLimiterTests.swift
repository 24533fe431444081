// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfrySources
import Testing

struct SignalCounterTests {
    private func at(_ milliseconds: UInt64) -> MonotonicInstant {
        MonotonicInstant(microseconds: 5_000_000 + milliseconds * 1000)
    }

    private func counter(burst: Int) -> SignalCounter {
        SignalCounter(SignalRateLimit(burst: burst, interval: .seconds(1)))
    }

    @Test func signalsWithinTheLimitPass() {
        var counter = counter(burst: 3)

        #expect([0, 1, 2].map { counter.count(at: at($0)) } == [.pass, .pass, .pass])
        #expect([1000, 1001, 1002].map { counter.count(at: at($0)) } == [.pass, .pass, .pass])
        #expect(!counter.isStorming)
    }

    @Test func excessIsCountedUntilTheStormEnds() {
        var counter = counter(burst: 2)
        _ = counter.count(at: at(0))
        _ = counter.count(at: at(100))

        #expect(counter.count(at: at(300)) == .excess(isFirst: true))
        #expect(counter.count(at: at(400)) == .excess(isFirst: false))
        #expect(counter.remaining(at: at(400)) == .milliseconds(600))
        // The window is over, but the storm was not ended: deliveries keep their order.
        #expect(counter.count(at: at(1500)) == .excess(isFirst: false))
        #expect(counter.remaining(at: at(1500)) == .zero)
        #expect(counter.isStorming)
        #expect(counter.endStorm(at: at(1500)) == 3)
        #expect(!counter.isStorming)
    }

    @Test func mergedDeliveryCountsInTheNextWindow() {
        var counter = counter(burst: 2)
        for time: UInt64 in 0..<5 { _ = counter.count(at: at(time)) }
        #expect(counter.endStorm(at: at(1000)) == 3)

        #expect(counter.count(at: at(1001)) == .pass)
        #expect(counter.count(at: at(1002)) == .excess(isFirst: true))
        #expect(counter.remaining(at: at(1002)) == .milliseconds(998))
    }

    @Test func everySignalPassesOrIsMerged() {
        var counter = counter(burst: 7)
        var passed = 0
        var merged = 0
        for step: UInt64 in 0..<10_000 {
            if counter.count(at: at(step)) == .pass { passed += 1 }
            if step % 1000 == 999 { merged += counter.endStorm(at: at(step)) }
        }

        #expect(passed + merged == 10_000)
        #expect(passed < 100)
    }

    @Test func missingLimitLetsAllSignalsPass() {
        var counter = SignalCounter(nil)

        #expect((0..<5000).allSatisfy { _ in counter.count(at: at(0)) == .pass })
    }

    @Test func burstOfZeroIsABurstOfOne() {
        #expect(SignalRateLimit(burst: 0, interval: .seconds(1)).burst == 1)
    }
}
