// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import BelfryMetricRegistry
import Testing

struct MetricRegistryTests {
    let registry = MetricRegistry()

    @Test func sameNameAndLabelsAreTheSameSeries() {
        registry.series("a.b", [("x", "1")], .counter).count(1)
        registry.series("a_b_total", [("x", "1")], .counter).count(2)
        registry.series("a_b", [("x", "2")], .counter).count(4)

        let families = registry.families
        #expect(families.map(\.name) == ["a_b"])
        #expect(families.first?.points.map(\.value) == [3, 4])
        #expect(registry.refused == 0)
    }

    @Test(arguments: [("x", MetricFamily.Kind.gauge), ("x_total", .gauge), ("x_created", .gauge), ("x", .summary)])
    func nameThatACounterHasIsRefused(name: String, kind: MetricFamily.Kind) {
        registry.series("x", [], .counter).count(1)

        registry.series(name, [], kind).set(7)

        #expect(registry.families.map(\.name) == ["x"] && registry.refused == 1)
    }

    @Test func samplesBeyondTheLimitAreRefusedAndCounted() {
        for number in 0..<3000 { registry.series("a", [("n", "\(number)")], .counter).count(1) }
        for number in 0..<100 { registry.series("b", [("n", "\(number)")], .histogram).observe(1) }

        // (4096 - 3000) / 19
        #expect(registry.families.map(\.points.count) == [3000, 57])
        #expect(registry.families.reduce(0) { $0 + $1.samples.count } <= MetricRegistry.limit)
        #expect(registry.refused == 43)
    }

    @Test func removedSeriesMakesRoomAndFreesItsName() {
        let series = registry.series("a", [], .counter)
        registry.remove(series)
        registry.remove(series)

        #expect(registry.families.isEmpty)
        registry.series("a", [], .gauge).set(1)
        registry.remove(series)
        #expect(registry.families.map(\.kind) == [.gauge])
        for number in 0..<5000 { registry.remove(registry.series("b", [("n", "\(number)")], .counter)) }
        #expect(registry.refused == 0)
    }

    @Test func histogramCountsEachRange() {
        let series = registry.series("wait", [], .histogram, unit: "seconds")
        for value in [0.0001, 0.00011, 0.5, 61, -1, .nan, .infinity] { series.observe(value) }

        let samples = registry.families[0].samples
        #expect(samples.count == 19)
        #expect(samples.first?.labels.first?.text == #"le="0.0001""#)
        #expect(samples.prefix(3).map(\.value) == [1, 2, 2])
        #expect(samples[15].labels.first?.text == #"le="60.0""# && samples[15].value == 3)
        #expect(samples[16].labels.first?.text == #"le="+Inf""# && samples[16].value == 4)
        #expect(samples[17].suffix == "count" && samples[17].value == 4)
        #expect(samples[18].suffix == "sum" && abs(samples[18].value - 61.50021) < 1e-9)
    }

    @Test func counterIgnoresWhatIsNoIncrease() {
        let series = registry.series("a", [], .counter)
        for value in [1, -1, .nan, .infinity, 0, 0.5] { series.count(value) }

        #expect(registry.families[0].points[0].value == 1.5)
        series.reset()
        #expect(registry.families[0].points[0].value == 0)
    }

    @Test func changesOfManyThreadsAreAllCounted() async {
        let calls = registry.series("calls", [], .counter)
        let level = registry.series("level", [], .gauge)
        await withTaskGroup { group in
            for thread in 0..<4 {
                // Not in the threads: Thread Sanitizer does not see how the kernel passes on Swift's `Mutex`.
                let wait = registry.series("wait", [("thread", "\(thread)")], .histogram)
                group.addTask {
                    for _ in 0..<10_000 {
                        calls.count(1)
                        wait.observe(0.25)
                        level.add(thread < 2 ? 1 : -1)
                    }
                }
            }
            for _ in 0..<100 { _ = registry.families }
        }

        let values = Dictionary(uniqueKeysWithValues: registry.families.map { ($0.name, $0.points.map(\.value)) })
        #expect(values == ["calls": [40_000], "level": [0], "wait": [2500, 2500, 2500, 2500]])
    }

    @Test(arguments: [(1, "1"), (0.5, "0.5"), (-3, "-3"), (1e300, "1e+300"), (.infinity, "+Inf"), (-.infinity, "-Inf")])
    func numberIsWrittenAsOpenMetricsWantsIt(value: Double, text: String) {
        #expect(MetricNumber.text(value) == text)
        #expect(MetricNumber.text(.nan) == "NaN")
        #expect(MetricNumber.text(ofBound: 1) == "1.0")
    }
}
