// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Synchronization

/// The values of a metric with its labels. May be changed on any thread, without a lock.
package nonisolated final class MetricSeries: Sendable {
    /// The upper bounds of the ranges of a histogram, in seconds; a last range has none.
    package static let bounds = [
        0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]

    /// The name of its family.
    package let name: String
    /// Its labels.
    package let labels: MetricLabels
    /// The bits of a `Double`: the value, or the sum of all values.
    private let bits = Atomic<UInt64>(0)
    private let counts = InlineArray<17, Atomic<Int>> { _ in Atomic(0) }

    package init(_ name: String, _ labels: MetricLabels) {
        self.name = name
        self.labels = labels
    }

    /// Sets the value of a gauge.
    package func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    /// Adds to the value of a gauge.
    package func add(_ value: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + value).bitPattern
            let result = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if result.exchanged { return }
            old = result.original
        }
    }

    /// Adds to a counter. A number that is negative or not finite is ignored.
    package func count(_ value: Double) {
        if value > 0, value.isFinite { add(value) }
    }

    /// Adds a value to a summary or histogram. A number that is negative or not finite is ignored.
    package func observe(_ value: Double) {
        guard value >= 0, value.isFinite else { return }
        let place = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
        counts[place].wrappingAdd(1, ordering: .relaxed)
        add(value)
    }

    /// Sets everything to zero.
    package func reset() {
        set(0)
        for place in counts.indices { counts[place].store(0, ordering: .relaxed) }
    }

    /// The values now.
    package func point(_ kind: MetricFamily.Kind) -> MetricPoint {
        let value = Double(bitPattern: bits.load(ordering: .relaxed))
        let isCounted = kind == .summary || kind == .histogram
        return MetricPoint(
            labels, value: value, counts: isCounted ? counts.indices.map { counts[$0].load(ordering: .relaxed) } : [])
    }
}

/// Numbers as OpenMetrics writes them.
package nonisolated enum MetricNumber {
    /// A value: a whole number has no fraction.
    package static func text(_ value: Double) -> String {
        if let whole = Int64(exactly: value) { return "\(whole)" }
        return value.isFinite ? value.description : text(ofBound: value)
    }

    /// A bound of a histogram, which always has a fraction.
    package static func text(ofBound value: Double) -> String {
        if value.isNaN { return "NaN" }
        return value.isFinite ? value.description : value < 0 ? "-Inf" : "+Inf"
    }
}
