// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryMetricRegistry
public import CoreMetrics

/// Shows the metrics of swift-metrics next to those of the service, in the OpenMetrics text of `belfryctl metrics`.
/// That needs the component `.socket`.
///
///     MetricsSystem.bootstrap(BelfryMetricsFactory())
///     ServiceMain.run(ServiceOptions(name: "videod"), with: [.socket]) { service in … }
///
/// * *Kinds.* A `Counter` and a `FloatingPointCounter` are counters. A `Meter`, a `Gauge` and any other `Recorder` that
///   does not aggregate are gauges. A `Timer` is a histogram in seconds with fixed bounds from 0.1 ms to 60 s. An
///   aggregating `Recorder` is a summary: the number of values and their sum. These and counters ignore numbers that
///   are negative or not finite.
/// * *Names.* A name keeps letters and digits; each run of other characters becomes `_`. The name of a timer ends in
///   `_seconds`. A counter has no `_total` in its own name, as its samples have it. The documentation of Belfry has the
///   details.
/// * *Identity.* Two metrics with the same name, kind and dimensions are the same metric. Destroying one destroys both.
/// * *Limits.* There are at most 4096 samples: one for a counter or a gauge, two for a summary, 19 for a histogram. A
///   metric has at most 8 dimensions, whose values are cut at 128 bytes. Further metrics, and those whose name a metric
///   of another kind has, are not shown; `belfry_metrics_refused` counts them.
/// * *Threads.* Changing a value takes no lock. Making and destroying a metric does, for a moment.
public struct BelfryMetricsFactory: MetricsFactory {
    private let registry: MetricRegistry

    /// A factory. All factories of a process share their metrics.
    public init() { self.init(registry: .shared) }

    /// A factory with metrics of its own.
    package init(registry: MetricRegistry) { self.registry = registry }

    /// Makes a counter.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Counter(registry.series(label, dimensions, .counter))
    }

    /// Makes a counter for fractions.
    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        Counter(registry.series(label, dimensions, .counter))
    }

    /// Makes a gauge that can be set and changed.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        Meter(registry.series(label, dimensions, .gauge))
    }

    /// Makes a summary, or, if it does not aggregate, a gauge.
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        aggregate
            ? Recorder(registry.series(label, dimensions, .summary)) : Meter(registry.series(label, dimensions, .gauge))
    }

    /// Makes a histogram of durations.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Recorder(registry.series(label, dimensions, .histogram, unit: "seconds"))
    }

    /// Removes a counter.
    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }

    /// Removes a counter for fractions.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }

    /// Removes a gauge.
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

    /// Removes a summary or a gauge.
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }

    /// Removes a histogram.
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    private func remove(_ handler: AnyObject) {
        if let handler = handler as? any SeriesHandler { registry.remove(handler.series) }
    }
}

/// A handler of swift-metrics for a series.
private protocol SeriesHandler: AnyObject {
    var series: MetricSeries { get }
}

private final class Counter: SeriesHandler, CounterHandler, FloatingPointCounterHandler {
    let series: MetricSeries

    init(_ series: MetricSeries) { self.series = series }

    func increment(by amount: Int64) { series.count(Double(amount)) }

    func increment(by amount: Double) { series.count(amount) }

    func reset() { series.reset() }
}

private final class Meter: SeriesHandler, MeterHandler, RecorderHandler {
    let series: MetricSeries

    init(_ series: MetricSeries) { self.series = series }

    func set(_ value: Int64) { series.set(Double(value)) }

    func set(_ value: Double) { series.set(value) }

    func increment(by amount: Double) { series.add(amount) }

    func decrement(by amount: Double) { series.add(-amount) }

    func record(_ value: Int64) { set(value) }

    func record(_ value: Double) { set(value) }
}

private final class Recorder: SeriesHandler, RecorderHandler, TimerHandler {
    let series: MetricSeries

    init(_ series: MetricSeries) { self.series = series }

    func record(_ value: Int64) { series.observe(Double(value)) }

    func record(_ value: Double) { series.observe(value) }

    func recordNanoseconds(_ duration: Int64) { series.observe(Double(duration) / 1e9) }
}
