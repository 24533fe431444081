// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfryctl
import BelfryCommandLine
import Testing
import Varlink

struct TableCommandsTests {
    @Test func metricsAreLinesAsTheServiceWroteThem() {
        let long = #"calls_total{listener="\#(String(repeating: "x", count: 2000))"} 12"#
        let text = "# TYPE calls counter\n\(long)\nlamps{room=\"\u{1B}[2J\"} 1\n# EOF\n"

        #expect(
            MetricsCommand.lines(["text": .string(text)], .plain) == [
                "# TYPE calls counter", long, #"lamps{room="\u{1B}[2J"} 1"#, "# EOF",
            ])
    }
}
