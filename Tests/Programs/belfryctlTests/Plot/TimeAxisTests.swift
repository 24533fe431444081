// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfryctl
import Glibc
import Testing

struct TimeAxisTests {
    private nonisolated static let spans: [Double] = [
        0, 1, 5000, 999_999, 1e6, 59e6, 61e6, 3600e6, 86_400e6, 30 * 86_400e6, 366 * 86_400e6, 2.5e17,
    ]

    init() {
        setenv("TZ", "UTC", 1)
        tzset()
    }

    @Test(arguments: spans)
    func ticksAreInOrderApartAndWithin(_ length: Double) {
        let axis = TimeAxis(1000...1000 + length, left: 100, width: 900)

        let ticks = axis.ticks(spacing: 90)

        #expect((1...11).contains(ticks.count), "\(ticks)")
        #expect(ticks.allSatisfy { (100...1000).contains($0.place) && !$0.text.isEmpty })
        for (first, second) in zip(ticks, ticks.dropFirst()) {
            #expect(second.place - first.place > 89)
            #expect(first.text != second.text)
        }
    }

    @Test func shortSpansHaveTheTimeSinceTheBeginning() {
        let ticks = TimeAxis(7...5007, left: 0, width: 1000).ticks(spacing: 90).map(\.text)

        #expect(ticks.prefix(3) == ["0", "+500 us", "+1 ms"])
    }

    @Test func longSpansHaveRoundLocalTimes() {
        let minute = 60e6
        func texts(_ span: ClosedRange<Double>) -> ArraySlice<String> {
            TimeAxis(span, left: 0, width: 1000).ticks(spacing: 90).map(\.text).prefix(2)
        }

        #expect(texts(7e6...100e6) == ["00:00:10", "00:00:20"])
        #expect(texts(61 * minute...700 * minute) == ["02:00", "03:00"])
        #expect(texts(0...20 * 1440 * minute) == ["1970-01-01", "1970-01-03"])
    }

    @Test func placesAreWithinTheAxis() {
        let axis = TimeAxis(0...1e6, left: 10, width: 100)

        #expect(axis.place(5e5) == 60)
        #expect(axis.place(-1) == 10 && axis.place(2e6) == 110)
    }
}
