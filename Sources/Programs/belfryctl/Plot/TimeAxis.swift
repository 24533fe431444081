// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryCommandLine
import Glibc

/// The time axis of a plot: from microseconds to places, and its marks.
struct TimeAxis {
    /// The time shown, in microseconds of CLOCK_REALTIME. It is at least a millisecond long.
    let span: ClosedRange<Double>
    private let left: Double
    private let width: Double

    /// The time `span` from `left` on over `width`.
    init(_ span: ClosedRange<Double>, left: Double, width: Double) {
        self.span = span.lowerBound...max(span.upperBound, span.lowerBound + 1000)
        self.left = left
        self.width = width
    }

    /// The place of a time.
    func place(_ time: Double) -> Double {
        let length = span.upperBound - span.lowerBound
        return left + (min(max(time, span.lowerBound), span.upperBound) - span.lowerBound) / length * width
    }

    /// The marks, at least `spacing` apart, with their texts: the time since the beginning if they are less than a second
    /// apart, otherwise the local time.
    func ticks(spacing: Double) -> [(place: Double, text: String)] {
        let length = span.upperBound - span.lowerBound
        let least = length / max(1, (width / spacing).rounded(.down))
        let step = Self.step(atLeast: least)
        let isRelative = step < 1_000_000
        let zero = isRelative ? span.lowerBound : -Self.utcOffset(span.lowerBound)
        let first = ((span.lowerBound - zero) / step).rounded(.up)
        var ticks: [(Double, String)] = []
        for count in 0...Int(width / spacing) + 1 {
            let distance = (first + Double(count)) * step
            let time = zero + distance
            guard time <= span.upperBound else { break }
            ticks.append((place(time), isRelative ? Self.text(since: distance) : Self.text(at: time, step: step)))
        }
        return ticks
    }

    private static let second = 1_000_000.0
    private static let day = 86_400 * second

    /// A round time: 1, 2 or 5 times a power of ten up to seconds; then parts of a minute, an hour and a day.
    static func step(atLeast least: Double) -> Double {
        var unit = 1.0
        while unit < second {
            for factor in [1, 2, 5] where unit * Double(factor) >= least { return unit * Double(factor) }
            unit *= 10
        }
        let steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200]
        for step in steps where Double(step) * second >= least { return Double(step) * second }
        var days = 1.0
        while days * day < least { days *= 2 }
        return days * day
    }

    private static func text(since distance: Double) -> String {
        distance == 0 ? "0" : "+" + DurationText.text(microseconds: Int64(distance))
    }

    private static func text(at time: Double, step: Double) -> String {
        let text = WallClockText.dateAndTime(Int64(time))
        if step >= day { return String(text.prefix(10)) }
        let clock = text.dropFirst(11)
        return String(step < 60 * second ? clock : clock.prefix(5))
    }

    /// How far the local time is ahead of UTC.
    private static func utcOffset(_ time: Double) -> Double {
        var seconds = time_t(time / second)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return Double(parts.tm_gmtoff) * second
    }
}
