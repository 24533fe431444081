// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import BelfryMetricRegistry
import CoreMetrics
import Testing

@testable import BelfryMetrics

struct BelfryMetricsFactoryTests {
    let registry = MetricRegistry()
    let factory: BelfryMetricsFactory

    init() { factory = BelfryMetricsFactory(registry: registry) }

    private func family(_ name: String) -> MetricFamily? { registry.families.first { $0.name == name } }

    @Test func eachMetricHasItsKind() {
        Counter(label: "calls", dimensions: [("path", "/a")], factory: factory).increment(by: 3)
        FloatingPointCounter(label: "joules", factory: factory).increment(by: 0.5)
        let meter = Meter(label: "load", factory: factory)
        meter.set(4)
        meter.increment(by: 2.5)
        meter.decrement(by: 1)
        Gauge(label: "temperature", factory: factory).record(-3)
        Recorder(label: "size", aggregate: true, factory: factory).record(100)
        Timer(label: "wait", factory: factory).recordMilliseconds(250)

        #expect(family("calls")?.kind == .counter && family("calls")?.points.map(\.value) == [3])
        #expect(family("calls")?.points.first?.labels.all.map(\.text) == [#"path="/a""#])
        #expect(family("joules")?.kind == .counter && family("joules")?.points.map(\.value) == [0.5])
        #expect(family("load")?.kind == .gauge && family("load")?.points.map(\.value) == [5.5])
        #expect(family("temperature")?.kind == .gauge && family("temperature")?.points.map(\.value) == [-3])
        #expect(family("size")?.kind == .summary && family("size")?.samples.map(\.value) == [1, 100])
        let wait = family("wait_seconds")
        #expect(wait?.kind == .histogram && wait?.unit == "seconds" && wait?.points.map(\.value) == [0.25])
    }

    @Test func metricsWithTheSameDimensionsAreTheSame() {
        let first = Counter(label: "calls", dimensions: [("a", "1"), ("b", "2")], factory: factory)
        let second = Counter(label: "calls", dimensions: [("b", "2"), ("a", "1")], factory: factory)
        first.increment()
        second.increment()

        #expect(family("calls")?.points.map(\.value) == [2])
        first.reset()
        #expect(family("calls")?.points.map(\.value) == [0])
        first.destroy()
        #expect(registry.families.isEmpty)
    }

    @Test func everyKindCanBeDestroyed() {
        Counter(label: "a", factory: factory).destroy()
        FloatingPointCounter(label: "b", factory: factory).destroy()
        Meter(label: "c", factory: factory).destroy()
        Recorder(label: "d", factory: factory).destroy()
        Gauge(label: "e", factory: factory).destroy()
        Timer(label: "f", factory: factory).destroy()

        #expect(registry.families.isEmpty)
    }
}
