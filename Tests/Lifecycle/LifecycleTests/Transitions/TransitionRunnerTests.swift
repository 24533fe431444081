// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TransitionRunnerTests {
    let fixture = MediatorFixture()

    private struct Oops: Error, CustomStringConvertible {
        let description = "no disk"
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
        frame.journal = { [unowned fixture] in fixture.calls.append($0) }
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
