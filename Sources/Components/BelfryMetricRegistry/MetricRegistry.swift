// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import Synchronization

/// The metrics that a program has besides those of the service itself. May be used on any thread.
///
/// Creating and listing metrics takes a lock for a moment; changing their values does not.
package nonisolated final class MetricRegistry: Sendable {
    /// That of the process.
    package static let shared = MetricRegistry()
    /// How many samples there may be. A counter and a gauge have one for each combination of labels, a summary has two,
    /// and a histogram one for each bound and three more.
    package static let limit = 4096

    /// Series of the same name.
    private struct Family {
        let kind: MetricFamily.Kind
        let unit: String?
        var series: [UTF8Text: MetricSeries] = [:]
    }

    private struct State {
        var families: [String: Family] = [:]
        /// The names of the families and of their samples.
        var names: Set<String> = []
        /// The number of samples.
        var count = 0
        var refused: UInt64 = 0

        /// Whether this family is there, or can be.
        func allows(_ name: String, _ kind: MetricFamily.Kind) -> Bool {
            families[name].map { $0.kind == kind } ?? names.isDisjoint(with: kind.names(for: name))
        }
    }

    private let state = Mutex(State())

    /// How often a series was refused.
    package var refused: UInt64 { state.withLock(\.refused) }

    /// The series of this name with these labels. The same name and labels give the same series.
    ///
    /// Beyond the limit, and for a name that a metric of another kind or a sample of it has, it is a series that is not
    /// listed, and `refused` grows.
    ///
    /// - Parameters:
    ///   - name: any text; see `MetricName`.
    ///   - unit: the unit, with which the name then ends.
    package func series(
        _ name: String, _ labels: [(String, String)], _ kind: MetricFamily.Kind, unit: String? = nil
    ) -> MetricSeries {
        let name = MetricName.family(name, kind, unit: unit)
        let labels = MetricLabels(labels)
        return state.withLock { state in
            let isAllowed = state.allows(name, kind)
            if isAllowed, let known = state.families[name]?.series[labels.key] { return known }
            let series = MetricSeries(name, labels)
            guard isAllowed, state.count + kind.samples <= Self.limit else {
                state.refused += 1
                return series
            }
            state.families[name, default: Family(kind: kind, unit: unit)].series[labels.key] = series
            state.names.formUnion(kind.names(for: name))
            state.count += kind.samples
            return series
        }
    }

    /// Removes a series. Nothing happens if it is not listed.
    package func remove(_ series: MetricSeries) {
        state.withLock { state in
            guard let family = state.families[series.name], family.series[series.labels.key] === series else { return }
            state.families[series.name]?.series[series.labels.key] = nil
            state.count -= family.kind.samples
            guard family.series.count == 1 else { return }
            state.families[series.name] = nil
            state.names.subtract(family.kind.names(for: series.name))
        }
    }

    /// All metrics, ordered by name and labels.
    package var families: [MetricFamily] {
        let families = state.withLock(\.families)
        return families.sorted { $0.key < $1.key }.map { name, family in
            MetricFamily(
                name, family.kind, unit: family.unit,
                points: family.series.values.sorted { $0.labels.key < $1.labels.key }.map {
                    $0.point(family.kind)
                })
        }
    }
}
