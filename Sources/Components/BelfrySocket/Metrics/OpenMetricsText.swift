// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry
internal import BelfryMetricRegistry
internal import Lifecycle

/// Metrics in the text format of OpenMetrics 1.0. It uses only the kinds that the Prometheus text format has too, in
/// which `# UNIT` and `# EOF` are comments.
nonisolated enum OpenMetricsText {
    /// The text; families without a value are left out. Each sample has the label `service`, so that those of several
    /// services on a host can be told apart, unless the program has given it one.
    static func text(_ families: [MetricFamily], of service: String? = nil) -> String {
        let own = service.map { MetricLabels([("service", $0)]).all } ?? []
        var text = ""
        for family in families where !family.points.isEmpty {
            text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
            if let unit = family.unit { text += "# UNIT \(family.name) \(unit)\n" }
            if !family.help.isEmpty { text += "# HELP \(family.name) \(family.help)\n" }
            for sample in family.samples {
                text += family.name
                if let suffix = sample.suffix { text += "_" + suffix }
                let labels = own.filter { own in !sample.labels.contains { $0.name == own.name } } + sample.labels
                if !labels.isEmpty { text += "{\(labels.map(\.text).joined(separator: ","))}" }
                text += " \(MetricNumber.text(sample.value))\n"
            }
        }
        return text + "# EOF\n"
    }
}

extension BelfryService {
    /// The metrics of the service and of the program as OpenMetrics 1.0 text, for a route of the service's own:
    ///
    ///     router.get("/metrics") { _, _ in await service.openMetrics }
    ///
    /// It is the text of `belfryctl metrics`. Its media type is
    /// `application/openmetrics-text; version=1.0.0; charset=utf-8`. Without the component `.socket`, or if
    /// `[Socket] Enabled=no`, it has only the metrics of the program, which come from `BelfryMetrics`.
    public var openMetrics: String {
        mediator.listener(SocketListener.self)?.openMetrics ?? OpenMetricsText.text(MetricRegistry.shared.families)
    }
}
