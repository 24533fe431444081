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
                #"belfry_attached_listeners{service="test"} 0"#,
            ])
        #expect(lines.contains("# TYPE belfry_notifications_by_signal counter"))
        #expect(lines.contains(#"belfry_notifications_by_signal_total{service="test",signal="SIGUSR1"} 1"#))
        #expect(lines.contains("# UNIT belfry_listener_last_duration_seconds seconds"))
        #expect(lines.contains { $0.hasPrefix(#"belfry_listener_calls_total{service="test",listener="socket"} "#) })
        #expect(lines.filter { $0.hasPrefix("belfry_state{") }.count == LifecycleState.allCases.count)
        #expect(lines.contains(#"belfry_state{service="test",state="active"} 1"#))
        #expect(lines.contains(#"belfry_state{service="test",state="background"} 0"#))
    }

    @Test func transitionsAreCountedByTheirDuration() throws {
        fixture.mediator.perform(.pause)
        fixture.mediator.perform(.pause)

        let lines = try openMetrics()

        #expect(lines.contains(#"belfry_transition_duration_seconds_count{service="test",transition="launch"} 1"#))
        #expect(lines.contains(#"belfry_transition_duration_seconds_count{service="test",transition="pause"} 1"#))
        let last = #"belfry_transition_duration_seconds_bucket{service="test",transition="pause",le="+Inf"} 1"#
        #expect(lines.contains(last))
    }

    @Test func metricsOfTheProgramAreShownTooWithItsOwnLabelOfAService() throws {
        fixture.registry.series("lamps", [("room", "hall")], .gauge).set(2)
        fixture.registry.series("requests", [("service", "a")], .gauge).set(3)

        let lines = try openMetrics()

        #expect(lines.contains(#"lamps{service="test",room="hall"} 2"#))
        #expect(lines.contains(#"requests{service="a"} 3"#))
    }

    @Test func failuresHaveTheirTimeByNotification() throws {
        let name = "belfry_last_failure_timestamp_seconds"
        #expect(try !openMetrics().contains { $0.hasPrefix(name) })
        try fixture.mediator.addListener(
            RecordingListener("lamp", [.flushRequested], behavior: .throwing(LifecycleRefusal("no"))))

        fixture.mediator.post(.flushRequested)

        let time = MetricNumber.text(Double(fixture.clock.now.realtime.signedMicroseconds) / 1_000_000)
        #expect(try openMetrics().contains(#"\#(name){service="test",key="flushRequested"} \#(time)"#))
    }

    @Test func theAgeOfTheOldestHoldIsShown() throws {
        #expect(try !openMetrics().contains { $0.hasPrefix("belfry_oldest_hold_seconds{") })
        let hold = try fixture.more("Hold", ["reason": "backup"])
        try fixture.turn { fixture.socket.holds.count == 1 }

        #expect(try openMetrics().contains { $0.hasPrefix("belfry_oldest_hold_seconds{") })
        withExtendedLifetime(hold) {}
    }

    @Test(arguments: [false, true]) func onlyAPauseThatGoesOnHasItsBeginning(hasEnded: Bool) throws {
        var word: UserInfo = ["kind": "paused", "realtimeUsec": .int(7_000_000)]
        if hasEnded { word["endedBy"] = .object([:]) }
        let fixture = try SocketFixture(describeRun: { [word] in ["lastWord": .object(word)] })
        fixture.mediator.perform(.pause)

        let text = try fixture.call("GetOpenMetrics").get()["text"]?.stringValue ?? ""

        #expect(text.contains(#"belfry_paused_since_timestamp_seconds{service="test"} 7"#) == !hasEnded)
    }

    @Test func excessNamesAreCountedTogether() throws {
        for number in 0..<300 {
            fixture.mediator.post(try #require(LifecycleNotification.Name("stranger.\(number)")))
        }

        let counts = try openMetrics().filter { $0.hasPrefix("belfry_notifications_total{") }
        #expect(counts.count == 257)
        #expect(counts.last == #"belfry_notifications_total{service="test",notification="*"} 47"#)
    }

    @Test func callsOfListenersAreCounted() throws {
        try fixture.mediator.addListener(RecordingListener("lamp", [.flushRequested]))
        for _ in 0..<2 { fixture.mediator.post(.flushRequested) }

        let lines = try openMetrics()

        #expect(lines.contains(#"belfry_sequence{service="test"} 5"#))
        #expect(lines.contains(#"belfry_notifications_total{service="test",notification="flushRequested"} 2"#))
        #expect(lines.contains(#"belfry_listener_calls_total{service="test",listener="lamp"} 2"#))
        #expect(lines.contains(#"belfry_listener_failures_total{service="test",listener="lamp"} 0"#))
        #expect(lines.contains(#"belfry_listener_healthy{service="test",listener="lamp"} 1"#))
    }
}
