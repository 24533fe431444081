// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySystemd
import BelfryEventLoop
import Testing

struct BusRetryTests {
    @Test func lostConnectionIsMadeAnewAtOnce() {
        var retry = BusRetry()
        retry.connected(at: MonotonicInstant(microseconds: 0))

        #expect(retry.disconnected(at: MonotonicInstant(microseconds: 60_000_000)) == .zero)
    }

    @Test func busThatRefusesIsTriedLessAndLessAndThenLeftAlone() {
        var retry = BusRetry()
        var delays: [Duration] = []

        while let delay = retry.disconnected(at: MonotonicInstant(microseconds: 1)) { delays.append(delay) }

        #expect(delays == delays.sorted())
        #expect(delays.count < 10)
    }

    @Test func connectionThatLastedMakesRefusalsForgotten() {
        var retry = BusRetry()
        while retry.disconnected(at: MonotonicInstant(microseconds: 1)) != nil {}

        retry.connected(at: MonotonicInstant(microseconds: 1))
        let short = retry.disconnected(at: MonotonicInstant(microseconds: 2))
        retry.connected(at: MonotonicInstant(microseconds: 3))
        let long = retry.disconnected(at: MonotonicInstant(microseconds: 60_000_000))

        #expect(short == nil)
        #expect(long == .zero)
    }
}
