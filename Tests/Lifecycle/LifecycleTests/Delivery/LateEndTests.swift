// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

/// Answers that go on after their deadline.
@Suite(.timeLimit(.minutes(1)))
struct LateEndTests {
    let fixture = MediatorFixture()
    let recorder = Recorder()

    final class Recorder { var ended: [(report: ListenerReport, name: LifecycleNotification.Name)] = [] }

    init() {
        fixture.observe { [recorder] in
            if case .listenerEnded(let report, let notification) = $0 {
                recorder.ended.append((report, notification.name))
            }
        }
    }

    private var stillRunning: [Int] { fixture.mediator.listeners.map(\.stillRunning) }

    @Test(arguments: [LifecycleNotification.Name.didBecomeActive, .flushRequested])
    func answerThatIgnoresItsCancellationIsStillRunningUntilItEnds(name: LifecycleNotification.Name) async {
        let listener = fixture.listener("deaf", [name], deadline: .seconds(5), .stubborn)
        fixture.perform(.launch)
        if name == .flushRequested { fixture.mediator.post(.flushRequested) { _ in } }

        #expect(stillRunning == [0])
        fixture.clock.advance(by: .seconds(5))
        #expect(stillRunning == [1] && recorder.ended.isEmpty)
        fixture.clock.advance(by: .seconds(7))
        listener.finish()
        await fixture.until { !recorder.ended.isEmpty }

        #expect(recorder.ended.map(\.name) == [name])
        #expect(recorder.ended.map(\.report.listener) == ["deaf"])
        #expect(recorder.ended.map(\.report.outcome) == [.late])
        #expect(recorder.ended.map(\.report.duration) == [.seconds(12)])
        #expect(stillRunning == [0])
        #expect(fixture.mediator.listeners.map(\.record.calls) == [1])
    }

    @Test func answerMayEndAfterItsMediator() throws {
        var ends: [(AnswerEnd) -> Void] = []
        func slow(_ name: String, after others: [String] = []) -> ClosureListener {
            ClosureListener(name, follows: others) {
                [
                    $0.onOutcome(.didBecomeActive) { _, _, end in
                        ends.append(end)
                        return {}
                    }
                ]
            }
        }
        var mediator: LifecycleMediator? = LifecycleMediator(clock: ManualClock())
        try mediator?.addListener(slow("slow"))
        try mediator?.addListener(slow("next", after: ["slow"]))
        mediator?.perform(.launch)
        weak let released = mediator

        mediator = nil
        for end in ends { end(.completed) }

        #expect(ends.count == 2 && released == nil)
    }

    @Test func answerInTimeIsNotReportedAgain() async {
        let listener = fixture.listener("slow", [.flushRequested], deadline: .seconds(5), .stubborn)
        fixture.perform(.launch)
        var report: LifecycleReport?
        fixture.mediator.post(.flushRequested) { report = $0 }
        listener.finish()
        await fixture.until { report != nil }

        #expect(report?.listeners.map(\.outcome) == [.completed])
        #expect(recorder.ended.isEmpty && stillRunning == [0])
    }

    @Test func answerThatEndsWhenItIsCancelledHasEnded() async {
        fixture.listener("obedient", [.flushRequested], deadline: .seconds(5), .waiting)
        fixture.perform(.launch)
        fixture.mediator.post(.flushRequested) { _ in }
        fixture.clock.advance(by: .seconds(5))
        await fixture.until { !recorder.ended.isEmpty }

        #expect(recorder.ended.map(\.report.duration) == [.seconds(5)] && stillRunning == [0])
    }
}
