// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryMetricRegistry
import Lifecycle
import TestSupport
import Testing
import Varlink

@testable import BelfrySocket

@Suite(.timeLimit(.minutes(1)))
struct SocketMetricFamilyTests {
    let fixture: SocketFixture

    init() throws { fixture = try SocketFixture() }

    private func openMetrics() throws -> [String] {
        let text = try fixture.call("GetOpenMetrics").get()["text"]?.stringValue ?? ""
        #expect(text.hasSuffix("\n# EOF\n"))
        return text.split(separator: "\n").map(String.init)
    }

    @Test func ownMetricsHaveNamesAndUnitsOfOpenMetrics() throws {
        fixture.mediator.post(
            .flushRequested, origin: .signal(SignalOrigin(number: 10, name: "SIGUSR1", pid: 1, uid: 0)))

        let lines = try openMetrics()

        #expect(
            lines.prefix(3) == [
                "# TYPE belfry_attached_listeners gauge",
                "# HELP belfry_attached_listeners Programs on the socket that are listeners",
                "belfry_attached_listeners 0",
            ])
        #expect(lines.contains("# TYPE belfry_notifications_by_signal counter"))
        #expect(lines.contains(#"belfry_notifications_by_signal_total{signal="SIGUSR1"} 1"#))
        #expect(lines.contains("# UNIT belfry_listener_last_duration_seconds seconds"))
        #expect(lines.contains { $0.hasPrefix(#"belfry_listener_calls_total{listener="socket"} "#) })
        #expect(lines.filter { $0.hasPrefix("belfry_state{") }.count == LifecycleState.allCases.count)
        #expect(
            lines.contains(#"belfry_state{state="active"} 1"#) && lines.contains(#"belfry_state{state="background"} 0"#)
        )
    }

    @Test func transitionsAreCountedByTheirDuration() throws {
        fixture.mediator.perform(.pause)
        fixture.mediator.perform(.pause)

        let lines = try openMetrics()

        #expect(lines.contains(#"belfry_transition_duration_seconds_count{transition="launch"} 1"#))
        #expect(lines.contains(#"belfry_transition_duration_seconds_count{transition="pause"} 1"#))
        #expect(lines.contains(#"belfry_transition_duration_seconds_bucket{transition="pause",le="+Inf"} 1"#))
    }

    @Test func metricsOfTheProgramAreShownToo() throws {
        fixture.registry.series("lamps", [("room", "hall")], .gauge).set(2)

        #expect(try openMetrics().contains(#"lamps{room="hall"} 2"#))
        let replies = try fixture.more("io.systemd.Metrics.List", [:])
        try fixture.turn { replies.isOver }
        #expect(
            replies.replies.contains([
                "name": "io.belfry.Lifecycle.Metrics.lamps", "value": 2, "fields": ["room": "hall"],
            ]))
    }
}
