// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import Testing

struct DurationTextTests {
    @Test(arguments: [
        (0, "0 us"), (870, "870 us"), (1000, "1 ms"), (1250, "1.2 ms"), (999_999, "999.9 ms"), (3_400_000, "3.4 s"),
        (60_000_000, "1 min"), (200_000_000, "3 min 20 s"), (7_500_000_000, "2 h 5 min"), (3_600_000_000, "1 h"),
        (86_400_000_000, "1 d"), (190_000_000_000, "2 d 4 h"), (-5, "0 us"), (Int64.max, "106751991 d 4 h"),
    ])
    func durationsHaveTheirTwoLargestUnits(_ microseconds: Int64, _ text: String) {
        #expect(DurationText.text(microseconds: microseconds) == text)
    }
}
