// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfryctl
import BelfryCommandLine
import Testing
import Varlink

struct TableCommandsTests {
    @Test func metricsAreATable() {
        let metrics: [JSONObject] = [
            ["name": "io.belfry.Lifecycle.State", "value": "active"],
            ["name": "io.belfry.Lifecycle.ListenerCallsTotal", "value": 12, "object": "lamp"],
            ["name": "x.y.NotificationsTotal", "value": 3, "fields": ["notification": "flushRequested"]],
        ]

        #expect(
            MetricsCommand.lines(metrics, .plain) == [
                "METRIC                  OF               VALUE", "State                                   active",
                "ListenerCallsTotal      lamp                12", "x.y.NotificationsTotal  flushRequested       3",
            ])
    }
}
