// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Metrics of one name and kind, and their values at one moment.
package nonisolated struct MetricFamily: Sendable, Equatable {
    /// The kinds of OpenMetrics 1.0 that the Prometheus text format has too.
    package enum Kind: String, Sendable {
        /// A number that only grows.
        case counter
        /// A number that goes up and down.
        case gauge
        /// How many values there were, and their sum.
        case summary
        /// The same, and how many values were at most each bound.
        case histogram

        /// The suffixes of its samples; nil for none.
        package var suffixes: [String?] {
            switch self {
            case .counter: ["total"]
            case .gauge: [nil]
            case .summary: ["count", "sum"]
            case .histogram: ["bucket", "count", "sum"]
            }
        }

        /// How many samples each of its series has.
        var samples: Int {
            switch self {
            case .counter, .gauge: 1
            case .summary: 2
            case .histogram: MetricSeries.bounds.count + 3
            }
        }

        /// The names that a family of this name and its samples have. `created` is reserved by OpenMetrics.
        func names(for name: String) -> [String] {
            [name] + (suffixes + ["created"]).compactMap { $0.map { "\(name)_\($0)" } }
        }
    }

    /// Its name, without the suffixes of samples.
    package let name: String
    /// Its kind.
    package let kind: Kind
    /// The unit, with which the name ends.
    package let unit: String?
    /// What it is; empty if nothing is known.
    package let help: String
    /// One for each combination of labels.
    package let points: [MetricPoint]

    package init(_ name: String, _ kind: Kind, unit: String? = nil, help: String = "", points: [MetricPoint]) {
        self.name = name
        self.kind = kind
        self.unit = unit
        self.help = help
        self.points = points
    }

    /// A number of the family: its place and its value.
    package struct Sample: Sendable, Equatable {
        /// `total`, `bucket`, `count` or `sum`; nil for a gauge.
        package let suffix: String?
        /// The labels.
        package let labels: [MetricLabels.Label]
        /// The value.
        package let value: Double
    }

    /// The numbers, as OpenMetrics lists them.
    package var samples: [Sample] {
        points.flatMap { point in
            let labels = point.labels.all
            switch kind {
            case .counter: return [Sample(suffix: "total", labels: labels, value: point.value)]
            case .gauge: return [Sample(suffix: nil, labels: labels, value: point.value)]
            case .summary, .histogram:
                var count = 0
                var samples: [Sample] = []
                for (place, number) in point.counts.enumerated() {
                    count += number
                    guard kind == .histogram else { continue }
                    let bound = place < MetricSeries.bounds.count ? MetricSeries.bounds[place] : .infinity
                    let label = MetricLabels.Label(name: "le", value: MetricNumber.text(ofBound: bound))
                    samples.append(Sample(suffix: "bucket", labels: labels + [label], value: Double(count)))
                }
                samples.append(Sample(suffix: "count", labels: labels, value: Double(count)))
                samples.append(Sample(suffix: "sum", labels: labels, value: point.value))
                return samples
            }
        }
    }
}

/// The values of one series at one moment.
package nonisolated struct MetricPoint: Sendable, Equatable {
    /// What distinguishes it from others of its name.
    package let labels: MetricLabels
    /// The value, or the sum of all values.
    package let value: Double
    /// How many values were in each range; empty for a counter and a gauge.
    package let counts: [Int]

    package init(_ labels: MetricLabels = MetricLabels([]), value: Double, counts: [Int] = []) {
        self.labels = labels
        self.value = value
        self.counts = counts
    }
}
