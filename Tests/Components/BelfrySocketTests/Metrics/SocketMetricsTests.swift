// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryMetricRegistry
import Lifecycle
import LifecycleTesting
import TestSupport
import Testing
import Varlink

@testable import BelfrySocket

@Suite(.timeLimit(.minutes(1)))
struct SocketMetricsTests {
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
    }

    @Test func excessNamesAreCountedTogether() throws {
        for number in 0..<300 {
            fixture.mediator.post(try #require(LifecycleNotification.Name("stranger.\(number)")))
        }

        let counts = try openMetrics().filter { $0.hasPrefix("belfry_notifications_total{") }
        #expect(counts.count == 257)
        #expect(counts.last == #"belfry_notifications_total{notification="*"} 47"#)
    }

    @Test func callsOfListenersAreCounted() throws {
        try fixture.mediator.addListener(RecordingListener("lamp", [.flushRequested]))
        for _ in 0..<2 { fixture.mediator.post(.flushRequested) }

        let lines = try openMetrics()

        #expect(lines.contains("belfry_sequence 5"))
        #expect(lines.contains(#"belfry_notifications_total{notification="flushRequested"} 2"#))
        #expect(lines.contains(#"belfry_listener_calls_total{listener="lamp"} 2"#))
        #expect(lines.contains(#"belfry_listener_failures_total{listener="lamp"} 0"#))
        #expect(lines.contains(#"belfry_listener_healthy{listener="lamp"} 1"#))
    }
}
