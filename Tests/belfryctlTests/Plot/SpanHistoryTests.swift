// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfryctl
import Testing
import Varlink

@MainActor
struct SpanHistoryTests {
    private func states(_ history: SpanHistory) -> [String] {
        StateSegment.segments(of: history).states.map { segment in
            "\(segment.state ?? "?") \(Int(segment.end - segment.start) / 1_000_000)"
        }
    }

    private func suspensions(_ history: SpanHistory) -> [Double] {
        StateSegment.segments(of: history).suspensions.map { ($0.upperBound - $0.lowerBound) / 1_000_000 }
    }

    @Test func callsBelongToTheNotificationWithTheirNumber() {
        let history = HistorySamples.story

        #expect(history.calls.map { history.events[$0.event].sequence } == [4, 4, 5, 6])
        #expect(history.calls[1].start == history.events[0].time + 2_100_000)
        #expect(history.calls.map(\.isProblem) == [false, true, true, false])
        #expect(history.successions.map { [$0.0, $0.1] } == [[1, 2]])
    }

    @Test func callsForOtherNotificationsAndBootsAreLeftOut() {
        var history = HistorySamples.history([HistorySamples.notification(1, "a", at: 0)])

        history.add(timeline: [HistorySamples.step(2, [("x", "completed", 0, 1)])], bootID: HistorySamples.bootID)
        history.add(timeline: [HistorySamples.step(1, [("x", "completed", 0, 1)])], bootID: "other")
        history.add(timeline: "no array", bootID: HistorySamples.bootID)

        #expect(history.calls.isEmpty)
    }

    @Test func statesFollowEachOther() {
        #expect(
            states(HistorySamples.story) == [
                "active 20", "inactive 1", "background 19", "active 30", "notRunning 0",
            ])
    }

    @Test func stateIsUnknownBetweenACrashAndTheNextLaunch() {
        let history = HistorySamples.history([
            HistorySamples.notification(1, "didBecomeActive", at: 0, "inactive", "active"),
            HistorySamples.notification(2, "org.example.x", at: 10),
            HistorySamples.notification(1, "willFinishLaunching", at: 30, "notRunning", "inactive"),
        ])

        #expect(states(history) == ["? 30", "inactive 0"])
    }

    @Test func suspensionsAreKnownByDurationByPauseAndBySleep() {
        #expect(suspensions(HistorySamples.story) == [18, 5])
        let slept = HistorySamples.history([
            HistorySamples.notification(1, "willSleep", at: 10), HistorySamples.notification(2, "didWake", at: 100),
            HistorySamples.notification(3, "didResume", at: 110, "suspended", "active", info: ["cause": "signal"]),
        ])
        #expect(suspensions(slept) == [90])
    }

    @Test func historyIsLimited() {
        var history = SpanHistory()
        for sequence in 1...Int64(SpanHistory.eventsMax) + 5 {
            history.add(HistorySamples.notification(sequence, "a", at: 0))
        }
        let calls = Array(repeating: (listener: "x", outcome: "completed", at: 0.0, took: 0.0), count: 300)
        for sequence in 1...100 {
            history.add(timeline: [HistorySamples.step(Int64(sequence), calls)], bootID: HistorySamples.bootID)
        }

        #expect(history.events.count == SpanHistory.eventsMax && history.calls.count == SpanHistory.callsMax)
    }
}
