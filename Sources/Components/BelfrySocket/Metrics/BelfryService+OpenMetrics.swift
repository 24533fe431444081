// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry
internal import BelfryMetricRegistry
internal import Lifecycle

extension BelfryService {
    /// The metrics of the service and of the program as OpenMetrics 1.0 text, for a route of the service's own:
    ///
    ///     router.get("/metrics") { _, _ in await service.openMetrics }
    ///
    /// It is the text of `belfryctl metrics --openmetrics`. Its media type is
    /// `application/openmetrics-text; version=1.0.0; charset=utf-8`. Without the component `.socket`, or if `[Socket] Enabled=no`,
    /// it has only the metrics of the program, which come from `BelfryMetrics`.
    public var openMetrics: String {
        mediator.listener(SocketListener.self)?.openMetrics ?? OpenMetricsText.text(MetricRegistry.shared.families)
    }
}
