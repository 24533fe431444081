// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A service with metrics of swift-metrics. At `write` it writes all metrics into a file of its runtime directory. The arguments
// are configuration files.

import Belfry
import BelfryMetrics
import BelfrySocket
import CoreMetrics
import Glibc

MetricsSystem.bootstrap(BelfryMetricsFactory())

let options = ServiceOptions(name: "probe", configurationFiles: Array(CommandLine.arguments.dropFirst()))
ServiceMain.run(options, with: [.socket]) { service in
    service.observe(LifecycleNotification.Name("write")) { _ in
        guard let file = fopen(service.runtimeDirectory + "/metrics", "w") else { return }
        fputs(service.openMetrics, file)
        fclose(file)
    }
    Counter(label: "http.requests", dimensions: [("path", "/a\"b\\c\nd\u{85}"), ("method", "GET")]).increment(by: 3)
    Counter(label: "http.requests", dimensions: [("path", "/"), ("method", "GET")]).increment(by: 4)
    Gauge(label: "temperature").record(-2.5)
    Gauge(label: "not.a.number").record(Double.nan)
    Recorder(label: "body.size").record(512)
    Timer(label: "request.duration", dimensions: [("le", "x")]).recordMilliseconds(30)
    Meter(label: "http_requests_total").set(1)
}
