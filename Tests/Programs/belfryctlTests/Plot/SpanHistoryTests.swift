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

        HistorySamples.add([HistorySamples.step(2, [("x", "completed", 0, 1)])], to: &history)
        HistorySamples.add([HistorySamples.step(1, [("x", "completed", 0, 1)])], bootID: "other", to: &history)
        HistorySamples.add("no array", to: &history)

        #expect(history.calls.isEmpty)
    }

    @Test func listenersOfANotificationCountUntilTheirCallsAreKnown() {
        var history = SpanHistory()
        history.add(HistorySamples.notification(1, "statusRequested", at: 0), for: ["logger"])
        history.add(HistorySamples.notification(2, "flushRequested", at: 1), for: ["logger", "cacheFlush"])

        HistorySamples.add(
            [HistorySamples.step(2, [("logger", "completed", 1, 0), ("cacheFlush", "completed", 1, 2)])], to: &history)

        #expect(history.calls.map { "\($0.listener) \($0.event)" } == ["logger 0", "logger 1", "cacheFlush 1"])
        #expect(history.calls.map(\.duration) == [nil, 0, 2_000_000])
        #expect(history.calls.allSatisfy { !$0.isProblem })
    }

    @Test func suspensionBeginsWhenNothingDelaysThePauseAnyMore() {
        let paused = [
            HistorySamples.notification(6, "didEnterBackground", at: 10, "active", "background"),
            HistorySamples.notification(7, "didResume", at: 40, "suspended", "background", info: ["cause": "signal"]),
        ]
        var delayed = HistorySamples.history(paused)
        HistorySamples.add([HistorySamples.step(6, [("upload", "completed", 10, 1)])], at: 25, to: &delayed)

        #expect(suspensions(delayed) == [15])
        #expect(suspensions(HistorySamples.history(paused)) == [30])
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
            HistorySamples.add([HistorySamples.step(Int64(sequence), calls)], to: &history)
        }

        #expect(history.events.count == SpanHistory.eventsMax && history.calls.count == SpanHistory.callsMax)
    }
}
