// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CompositeListenerTests {
    struct Broken: Error, CustomStringConvertible { let description = "lens cap on" }

    let fixture = MediatorFixture()

    private func leaf(
        _ name: String, _ interests: [LifecycleNotification.Name] = [.didFinishLaunching, .willTerminate],
        deadline: Duration? = nil, _ behavior: RecordingListener.Behavior = .atOnce
    ) -> RecordingListener {
        fixture.recorder(name, interests, deadline: deadline, behavior)
    }

    @discardableResult
    private func add(_ leaves: any LifecycleListener...) throws -> CompositeListener {
        let composite = try CompositeListener("media", clock: fixture.clock, leaves)
        try fixture.mediator.addListener(composite)
        return composite
    }

    @Test func interestsAreTheUnionOfTheLeaves() throws {
        try add(leaf("a", [.didReload]), leaf("b", [.flushRequested, .didReload]))

        #expect(fixture.mediator.listeners.map(\.interests) == [[.didReload, .flushRequested]])
    }

    @Test func leavesAreCalledInOrderAndInReverse() throws {
        let inner = try CompositeListener("inner", clock: fixture.clock, [leaf("b"), leaf("c")])
        try add(leaf("a"), inner, leaf("d"))

        fixture.perform(.launch, .stop)

        #expect(
            fixture.calls == ["a", "b", "c", "d"].map { "\($0) didFinishLaunching" }
                + ["d", "c", "b", "a"].map { "\($0) willTerminate" })
    }

    @Test func failureOfALeafDoesNotStopOthersAndIsNamed() throws {
        try add(leaf("video", [.flushRequested], .throwing(Broken())), leaf("audio", [.flushRequested]))
        var report: LifecycleReport?

        fixture.mediator.post(.flushRequested) { report = $0 }

        #expect(fixture.calls == ["video flushRequested", "audio flushRequested"])
        #expect(report?.problems == ["media: video: lens cap on"])
    }

    @Test func refusalNamesTheLeaf() throws {
        let inner = try CompositeListener(
            "inner", clock: fixture.clock,
            [
                leaf("video", [.didFinishLaunching], .throwing(LifecycleRefusal("no camera")))
            ])
        try add(inner, leaf("audio"))

        fixture.perform(.launch)

        #expect(fixture.ended.map(\.result) == [.refused(["media: inner: video: no camera"])])
        #expect(fixture.calls.contains("audio didFinishLaunching"))
    }

    @Test func leafThatHangsOverrunsAtItsOwnDeadline() throws {
        let slow = leaf("slow", [.flushRequested], deadline: .seconds(2), .stubborn)
        let composite = try add(slow, leaf("next", [.flushRequested]))
        var report: LifecycleReport?

        fixture.mediator.post(.flushRequested) { report = $0 }
        fixture.clock.advance(by: .seconds(2))

        #expect(fixture.calls == ["slow flushRequested", "next flushRequested"])
        #expect(report?.problems == ["media: slow: no answer within its deadline"])
        #expect(composite.leaves.map(\.record.lastOutcome) == [.overran, .completed])
        #expect(fixture.mediator.listeners.map(\.deadline) == [.seconds(12)])
        slow.finish()
    }

    @Test func compositeThatHangsOverruns() throws {
        let slow = leaf("slow", [.willTerminate], .stubborn)
        let composite = try add(slow)
        fixture.mediator.deadlines = LifecycleDeadlines(stop: .seconds(4))
        fixture.perform(.launch, .stop)

        fixture.clock.advance(by: .seconds(4))

        let report = fixture.ended.last?.notifications.last
        #expect(report?.listeners.map(\.outcome) == [.overran])
        #expect(report?.problems == ["media: slow: no answer within its deadline"])
        #expect(composite.leaves.map(\.record.lastOutcome) == [.overran])
        slow.finish()
    }

    @Test func leavesAreCutShortWithTheStop() throws {
        let leaves = [leaf("first", [.willTerminate], .stubborn), leaf("second", [.willTerminate], .stubborn)]
        try add(leaves[0], leaves[1])
        fixture.perform(.launch, .stop)

        fixture.perform(.stop)

        #expect(fixture.calls == ["second willTerminate", "first willTerminate"])
        #expect(fixture.ended.map(\.trigger) == [.launch, .stop, .stop])
        for leaf in leaves { leaf.finish() }
    }

    @Test func outcomesOfLeavesAreCombined() throws {
        let leaves = [("no", false), ("yes", true)].map { name, opens in
            ClosureListener(name) {
                $0.onOpenURL { _ in opens }
                $0.onFetch { _ in opens ? .newData : .noData }
                $0.onAction(name, title: "A thing that \(name) does") { _ in }
            }
        }
        try add(leaves[0], leaves[1])
        var reports: [LifecycleReport] = []

        fixture.mediator.post(.openURL, userInfo: ["url": "rtsp://camera"]) { reports.append($0) }
        fixture.mediator.post(.performFetch) { reports.append($0) }
        fixture.mediator.post(.performAction, userInfo: ["action": "no"]) { reports.append($0) }

        #expect(fixture.mediator.actions.map(\.id) == ["no", "yes"])
        #expect(reports.map { $0.listeners.map(\.outcome) } == [[.handled], [.fetched(.newData)], [.handled]])
    }

    @Test func stateOfLeavesIsRestored() throws {
        let inner = try CompositeListener("inner", clock: fixture.clock, [RestoredListener("deep")])
        try add(RestoredListener("leaf"), inner)

        #expect(fixture.mediator.restorableListeners.map(\.restorationIdentifier) == ["leaf", "deep"])
    }
}
