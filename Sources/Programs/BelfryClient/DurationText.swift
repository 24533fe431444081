// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Durations as text for people: the two largest units.
package nonisolated enum DurationText {
    private static let units: [(name: String, microseconds: Int64)] = [
        ("d", 86_400_000_000), ("h", 3_600_000_000), ("min", 60_000_000), ("s", 1_000_000),
    ]

    /// `870 us`, `1.2 ms`, `3.4 s`, `3 min 20 s`, `2 d 5 h`.
    package static func text(microseconds: Int64) -> String {
        let length = max(0, microseconds)
        if length < 1000 { return "\(length) us" }
        if length < 1_000_000 { return "\(tenths(length, of: 1000)) ms" }
        if length < 60_000_000 { return "\(tenths(length, of: 1_000_000)) s" }
        let first = units.firstIndex { length >= $0.microseconds } ?? 0
        let (count, rest) = length.quotientAndRemainder(dividingBy: units[first].microseconds)
        let next = units[first + 1]
        let text = "\(count) \(units[first].name)"
        return rest < next.microseconds ? text : "\(text) \(rest / next.microseconds) \(next.name)"
    }

    /// The same for a duration.
    package static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? "forever" : text(microseconds: whole.adding(attoseconds / 1_000_000_000_000))
    }

    private static func tenths(_ value: Int64, of unit: Int64) -> String {
        let (whole, rest) = value.quotientAndRemainder(dividingBy: unit)
        let tenth = rest / (unit / 10)
        return tenth == 0 ? "\(whole)" : "\(whole).\(tenth)"
    }
}
