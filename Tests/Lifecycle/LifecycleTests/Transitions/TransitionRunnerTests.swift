// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TransitionRunnerTests {
    let fixture = MediatorFixture()

    @Test(
        arguments: [
            ([LifecycleTrigger.launch], .pause, "willResignActive - didEnterBackground 3"),
            ([.launch, .pause], .resume, "willEnterForeground - didBecomeActive 3"),
            ([.launch, .interrupt], .resume, "didBecomeActive 3"), ([.launch], .continued, "didResume 3"),
            ([.launch, .pause], .continued, "willEnterForeground - didBecomeActive 3"),
            ([.launch], .interrupt, "willResignActive 3"),
            ([.launch, .pause], .endSuspension, "didResume 3 willEnterForeground - didBecomeActive -"),
        ] as [([LifecycleTrigger], LifecycleTrigger, String)])
    func countIsInTheNotificationOfTheTrigger(
        before: [LifecycleTrigger], trigger: LifecycleTrigger, expected: String
    ) {
        for trigger in before { fixture.mediator.perform(trigger) }
        var seen: [String] = []
        let observation = fixture.mediator.addObserver {
            seen += ["\($0.name)", $0.userInfo["count"] == 3 ? "3" : "-"]
        }

        fixture.mediator.perform(trigger, userInfo: ["count": 3])
        observation.cancel()

        #expect(seen.joined(separator: " ") == expected)
    }

    @Test func oneTransitionRunsAtATime() async {
        let slow = fixture.listener("slow", [.willResignActive, .didBecomeActive])
        fixture.perform(.launch)
        slow.manner = .waiting

        fixture.perform(.pause, .resume)
        #expect(fixture.mediator.state == .active)
        #expect(fixture.ended.count == 1)
        slow.manner = .atOnce
        slow.finish()
        await fixture.until { fixture.ended.count == 3 }

        #expect(fixture.mediator.state == .active)
        #expect(fixture.calls == ["slow didBecomeActive", "slow willResignActive", "slow didBecomeActive"])
    }

    @Test func stopPrecedesQueuedTransitions() async {
        let slow = fixture.listener("slow", [.willResignActive], .waiting)
        fixture.perform(.launch, .pause, .resume, .reload, .stop)
        #expect(fixture.ended.map(\.result) == [.completed, .overtaken, .overtaken])

        slow.finish()
        await fixture.until { fixture.mediator.state == .notRunning }

        #expect(fixture.ended.map(\.trigger) == [.launch, .resume, .reload, .pause, .stop])
    }

    @Test func secondStopSetsAllDeadlinesToZero() async {
        let hanging = fixture.listener("hanging", [.willResignActive, .willTerminate], .stubborn)
        let later = fixture.listener("later", [.willTerminate])
        fixture.perform(.launch, .stop)
        #expect(fixture.mediator.state == .active)

        let second = LifecycleOrigin.signal(SignalOrigin(number: 15, name: "SIGTERM", pid: 1, uid: 0))
        fixture.perform(.stop, origin: second)

        #expect(fixture.mediator.state == .notRunning)
        #expect(later.received.map(\.name) == [.willTerminate])
        #expect(hanging.received.map(\.name) == [.willResignActive, .willTerminate])
        #expect(fixture.ended.map(\.trigger) == [.launch, .stop, .stop])
        #expect(fixture.ended.last?.cutShortBy == second)
        hanging.finish()
    }

    @Test func answerThatAsksForASecondStopIsCancelledToo() async {
        let listener = CuttingListener(fixture.mediator)
        #expect(throws: Never.self) { try fixture.mediator.addListener(listener) }

        fixture.perform(.launch, .stop)
        #expect(fixture.mediator.state == .notRunning)
        await fixture.until { listener.wasCancelled }

        #expect(fixture.ended.last?.notifications.last?.listeners.map(\.outcome) == [.overran])
    }

    @Test func stopHasOneBudget() async {
        let hanging = ["a", "b"].map { fixture.listener($0, [.willTerminate], deadline: .seconds(20), .stubborn) }
        fixture.perform(.launch, .stop)

        fixture.clock.advance(by: .milliseconds(12500))
        #expect(hanging.map(\.received.count) == [1, 1])
        #expect(fixture.mediator.state == .background)
        fixture.clock.advance(by: .milliseconds(12500))

        #expect(fixture.mediator.state == .notRunning)
        let durations = fixture.ended.last?.notifications.last?.listeners.map(\.duration)
        #expect(durations == [.milliseconds(12500), .milliseconds(12500)])
        hanging.forEach { $0.finish() }
    }

    @Test func launchRefusedAtOnceStopsTheSequence() {
        fixture.listener("careful", [.willFinishLaunching], .throwing(LifecycleRefusal("no socket")))
        fixture.listener("other")

        fixture.perform(.launch)

        #expect(fixture.calls == ["careful willFinishLaunching", "other willFinishLaunching", "other willTerminate"])
        #expect(fixture.ended.map(\.result) == [.refused(["careful: no socket"])])
    }

    private struct Oops: Error, CustomStringConvertible {
        let description = "no disk"
    }

    @Test(arguments: [LifecycleNotification.Name.willFinishLaunching, .didFinishLaunching])
    func errorOfAnyTypeRefusesTheLaunch(name: LifecycleNotification.Name) {
        fixture.listener("store", [name], .throwing(Oops()))

        fixture.perform(.launch)

        #expect(fixture.mediator.state == .notRunning)
        #expect(fixture.ended.map(\.result) == [.refused(["store: no disk"])])
    }

    @Test(arguments: [LifecycleNotification.Name.willFinishLaunching, .didFinishLaunching])
    func missedDeadlineRefusesTheLaunch(name: LifecycleNotification.Name) {
        let hanging = fixture.listener("store", [name], .stubborn)
        fixture.perform(.launch)

        fixture.clock.advance(by: .seconds(10))

        #expect(fixture.ended.map(\.result) == [.refused(["store: no answer within its deadline"])])
        #expect(fixture.mediator.state == .notRunning)
        hanging.finish()
    }

    @Test func launchGoesOnWithoutAListenerThatIsNotRequired() {
        let failing = OptionalListener("cache", Oops())
        #expect(throws: Never.self) { try fixture.mediator.addListener(failing) }

        fixture.perform(.launch)

        #expect(fixture.mediator.state == .active)
        #expect(fixture.ended.first?.notifications[1].listeners.map(\.outcome) == [.failed("no disk")])
    }

    @Test func refusalOfAListenerThatIsNotRequiredCounts() {
        let failing = OptionalListener("cache", LifecycleRefusal("not today"))
        #expect(throws: Never.self) { try fixture.mediator.addListener(failing) }

        fixture.perform(.launch)

        #expect(fixture.ended.map(\.result) == [.refused(["cache: not today"])])
    }

    @Test func outermostListenerFramesThoseThatAreAddedLater() throws {
        let frame = RecordingListener("frame", [.didBecomeActive, .willResignActive])
        frame.journal = { [fixture] in fixture.calls.append($0) }
        try fixture.mediator.addOutermostListener(frame)
        for name in ["a", "b"] { fixture.listener(name, [.didBecomeActive, .willResignActive]) }
        fixture.perform(.launch)
        fixture.listener("c", [.didBecomeActive, .willResignActive])
        #expect(throws: Never.self) { try fixture.mediator.addListener(FollowingListener("d", follows: ["frame"])) }

        fixture.perform(.interrupt)

        #expect(
            fixture.calls == [
                "a didBecomeActive", "b didBecomeActive", "frame didBecomeActive", "frame willResignActive",
                "c willResignActive", "b willResignActive", "a willResignActive",
            ])
        #expect(fixture.mediator.listeners.map(\.name) == ["a", "b", "c", "d", "frame"])
    }

    @Test func transitionThatACompletionAsksForBeginsAfterTheReportOfTheFirst() {
        var events: [String] = []
        fixture.observe {
            if case .began(let transition) = $0 { events.append("\(transition.trigger) begins") }
            if case .transitionEnded(let report) = $0 { events.append("\(report.trigger) ended") }
        }

        fixture.mediator.perform(.launch) { [mediator = fixture.mediator] _ in mediator.perform(.pause) }

        #expect(events == ["launch begins", "launch ended", "pause begins", "pause ended"])
        #expect(fixture.mediator.state == .background)
    }
}

/// A listener without which the service launches. It throws in `didFinishLaunching`.
private final class OptionalListener: LifecycleListener {
    let name: String
    let isRequired = false
    private let error: any Error

    init(_ name: String, _ error: any Error) { (self.name, self.error) = (name, error) }

    var answers: [LifecycleAnswer] { on(.didFinishLaunching) { [self] _ in throw error } }
}

/// A listener that follows others, and does nothing.
private final class FollowingListener: LifecycleListener {
    let name: String
    let follows: [String]

    init(_ name: String, follows: [String]) { (self.name, self.follows) = (name, follows) }

    var answers: [LifecycleAnswer] { on(.flushRequested) { _ in } }
}
