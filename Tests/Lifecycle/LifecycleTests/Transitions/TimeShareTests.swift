// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import Testing

struct TimeShareTests {
    nonisolated static let times: [Duration] = [0, 1, 7, 1000, 5_000_000, 25_000_000, 31_536_000_000_000].map {
        .microseconds($0)
    }

    /// The shares if each uses all of its own, in milliseconds.
    private func shares(of wanted: [Int], within limit: Int) -> [Int] {
        let times = WantedTimes(wanted.map { .milliseconds($0) }, within: .milliseconds(limit))
        var left = Duration.milliseconds(limit)
        return wanted.indices.map { index in
            let share = times.share(of: .milliseconds(wanted[index]), before: index + 1, within: left)
            left -= share.time
            return Int(share.time / .milliseconds(1))
        }
    }

    @Test(arguments: [
        ([10, 20, 5], 100, [10, 20, 5]),
        ([10, 20, 5, 15], 25, [6, 6, 5, 6]),
        ([5, 86_400_000, 10], 25, [5, 10, 10]),
        ([86_400_000, 5, 10], 25, [10, 5, 10]),
        ([86_400_000, 86_400_000], 25, [12, 12]),
        ([10, 0, 10], 10, [5, 0, 5]),
        ([10, 10], 0, [0, 0]), ([], 5, []),
    ])
    func smallWishesAreMetInFullAndOthersGetEqualShares(wanted: [Int], limit: Int, expected: [Int]) {
        #expect(shares(of: wanted, within: limit) == expected)
    }

    @Test(arguments: times, times)
    func sharesAreAtMostTheTimeWantedAndTheTimeLeft(wanted: Duration, left: Duration) {
        for later in Self.times {
            let share = WantedTimes([wanted, later], within: left).share(of: wanted, before: 1, within: left)

            #expect(share.time >= .zero && share.time <= wanted && share.time <= left)
            #expect(share.reserve >= .zero && share.time + share.reserve <= left)
            #expect(share.reserve <= later)
            if wanted + later <= left { #expect(share.time == wanted && share.reserve == later) }
        }
    }
}
