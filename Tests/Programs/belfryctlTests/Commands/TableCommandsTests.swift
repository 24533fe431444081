// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfryctl
import BelfryCommandLine
import Testing
import Varlink

struct TableCommandsTests {
    @Test func metricsAreATable() {
        let text = """
            # TYPE belfry_connections gauge
            belfry_connections 1
            # HELP belfry_listener_calls Per listener: calls
            belfry_listener_calls_total{listener="two words"} 12
            belfry_transition_duration_seconds_bucket{transition="pause",le="1"} 1
            # EOF

            """

        #expect(
            MetricsCommand.lines(["text": .string(text)], .plain) == [
                "METRIC                                             VALUE",
                "belfry_connections                                     1",
                #"belfry_listener_calls_total{listener="two words"}     12"#,
            ])
    }
}
