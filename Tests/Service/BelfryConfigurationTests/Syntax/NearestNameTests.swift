// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Testing

struct NearestNameTests {
    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("", "ab", 2), ("abc", "abc", 0), ("abc", "axc", 1), ("ab", "ba", 1),
        ("abc", "ab", 1),
        ("kitten", "sitting", 3),
    ])
    func distanceCountsEdits(first: String, second: String, distance: Int) {
        #expect(NearestName.distance(first, second) == distance)
    }

    @Test func nearestNameHasAMaximumDistance() {
        let names = ["Socket", "Service", "Signals"]

        #expect(NearestName.find("Sokcet", in: names) == "Socket")
        #expect(NearestName.find("service", in: names) == "Service")
        #expect(NearestName.find("Elephant", in: names) == nil)
        #expect(NearestName.find("", in: names) == nil)
        #expect(NearestName.find(String(repeating: "S", count: 100_000), in: names) == nil)
    }
}
