// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryMetricRegistry
import Testing

struct MetricNameTests {
    @Test(arguments: [
        ("http_requests", MetricFamily.Kind.counter, nil, "http_requests"),
        ("http_requests_total", .counter, nil, "http_requests"),
        ("http_requests_total", .gauge, nil, "http_requests_total"),
        ("http.server.requests", .counter, nil, "http_server_requests"), ("a__b--c", .gauge, nil, "a_b_c"),
        ("_a_", .gauge, nil, "a"), ("größe", .gauge, nil, "gr_e"), ("2xx", .counter, nil, "metric_2xx"),
        ("", .gauge, nil, "metric_unnamed"), ("ä", .gauge, nil, "metric_unnamed"),
        ("belfry_state", .gauge, nil, "metric_belfry_state"), ("wait", .histogram, "seconds", "wait_seconds"),
        ("wait_seconds", .histogram, "seconds", "wait_seconds"),
    ])
    func nameIsValid(text: String, kind: MetricFamily.Kind, unit: String?, name: String) {
        #expect(MetricName.family(text, kind, unit: unit) == name)
    }

    @Test func longNameIsCut() {
        #expect(MetricName.family(String(repeating: "a", count: 1000), .gauge, unit: nil).utf8.count == 128)
    }

    @Test func labelsAreOrderedValidAndLimited() {
        let labels = MetricLabels([("z", "1"), ("le", "2"), ("a.b", "3"), ("7", "4"), ("a_b", "last")])

        #expect(labels.all.map { "\($0.name)=\($0.value)" } == ["a_b=last", "label_7=4", "label_le=2", "z=1"])
        #expect(MetricLabels((0..<20).map { ("l\($0)", "") }).all.count == 8)
        let long = MetricLabels([("a", String(repeating: "ä", count: 100))]).all.first?.value
        #expect(long == String(repeating: "ä", count: 64))
    }

    @Test func labelIsEscaped() {
        let label = MetricLabels([("a", "say \"hi\"\\\n\u{1B}")]).all.first

        #expect(label?.text == #"a="say \"hi\"\\\\n\\u{1B}""#)
    }
}
