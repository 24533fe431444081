// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TransitionRunnerTests {
    let fixture = MediatorFixture()

    private struct Oops: Error, CustomStringConvertible {
        let description = "no disk"
    }

    @Test func launchGoesOnWithoutAListenerThatIsNotRequired() {
        let failing = ClosureListener("cache", isRequired: false) { $0.on(.didFinishLaunching) { _ in throw Oops() } }
        #expect(throws: Never.self) { try fixture.mediator.addListener(failing) }

        fixture.perform(.launch)

        #expect(fixture.mediator.state == .active)
        #expect(fixture.ended.first?.notifications[1].listeners.map(\.outcome) == [.failed("no disk")])
    }

    @Test func refusalOfAListenerThatIsNotRequiredCounts() {
        let failing = ClosureListener("cache", isRequired: false) {
            $0.on(.didFinishLaunching) { _ in throw LifecycleRefusal("not today") }
        }
        #expect(throws: Never.self) { try fixture.mediator.addListener(failing) }

        fixture.perform(.launch)

        #expect(fixture.ended.map(\.result) == [.refused(["cache: not today"])])
    }

    @Test func outermostListenerFramesThoseThatAreAddedLater() throws {
        let frame = fixture.recorder("frame", [.didBecomeActive, .willResignActive])
        try fixture.mediator.addOutermostListener(frame)
        for name in ["a", "b"] { fixture.listener(name, [.didBecomeActive, .willResignActive]) }
        fixture.perform(.launch)
        fixture.listener("c", [.didBecomeActive, .willResignActive])
        #expect(throws: Never.self) { try fixture.mediator.addListener(ClosureListener("d", follows: ["frame"])) }

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

    @Test func pauseIsRepeatedAsLongAsAListenerFails() async {
        let (first, second) = (fixture.recorder("first"), fixture.recorder("second", [.didEnterBackground]))
        for listener in [first, second] {
            #expect(throws: Never.self) { try fixture.mediator.addListener(listener) }
        }
        await fixture.mediator.perform(.launch)
        second.behavior = .throwing(Oops())
        await fixture.mediator.perform(.pause)
        fixture.calls = []

        let again = await fixture.mediator.perform(.pause, userInfo: ["reason": "tests"])
        second.behavior = .atOnce
        let good = await fixture.mediator.perform(.pause)
        let idle = await fixture.mediator.perform(.pause)

        #expect(again.notifications.map(\.notification.name) == [.didEnterBackground])
        #expect(again.notifications[0].notification.previousState == .background)
        #expect(again.notifications[0].notification.userInfo == ["reason": "tests"])
        #expect(again.notifications[0].problems == ["second: no disk"] && good.notifications[0].problems.isEmpty)
        #expect(idle.notifications.isEmpty && fixture.mediator.state == .background)
        let calls = ["second didEnterBackground", "first didEnterBackground"]
        #expect(fixture.calls == calls + calls)
    }

    @Test func sleepOfTheMachineDoesNotRepeatAPause() async throws {
        let lamp = fixture.listener("lamp", [.didEnterBackground], .throwing(Oops()))
        for trigger in [LifecycleTrigger.launch, .pause] { await fixture.mediator.perform(trigger) }

        var report: TransitionReport?
        fixture.mediator.pauseForSleep(waitingAtMost: .seconds(2)) { report = $0 }
        await fixture.until { report != nil }

        #expect(try #require(report).notifications.isEmpty && lamp.received.count == 1)
    }

    @Test func reasonIsInTheLastNotificationOfTheTransition() async {
        await fixture.mediator.perform(.launch)
        let info: UserInfo = ["reason": "tests", "other": 1]

        for trigger in [LifecycleTrigger.pause, .resume, .interrupt] {
            let report = await fixture.mediator.perform(trigger, userInfo: info)
            #expect(report.notifications.last?.notification.userInfo == ["reason": "tests"])
            #expect(report.notifications.dropLast().allSatisfy { $0.notification.userInfo.isEmpty })
        }
    }
}
