// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryMetrics
import BelfrySocket
import Metrics

func measured() {
    MetricsSystem.bootstrap(BelfryMetricsFactory())
    ServiceMain.run(ServiceOptions(name: "videod"), with: [.socket]) { service in
        Counter(label: "http.requests", dimensions: [("method", "GET")]).increment()
    }
}
