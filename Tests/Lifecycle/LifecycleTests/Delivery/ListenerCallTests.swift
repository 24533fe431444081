// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ListenerCallTests {
    let fixture = MediatorFixture(deadlines: LifecycleDeadlines(stop: .seconds(5), stopExtensionMax: 10))
    let slow: SlowListener

    init() {
        // Called after the slow one: a stop goes in reverse order.
        fixture.listener("quick", [.willTerminate], deadline: .zero)
        slow = fixture.slow(deadline: .seconds(20))
        fixture.recordProgress()
        fixture.perform(.launch, .stop)
    }

    private func outcomes() -> [ListenerOutcome] {
        fixture.ended.last?.notifications.last?.listeners.map(\.outcome) ?? []
    }

    @Test func progressExtendsTheTimeUpToTheDeadline() async {
        for _ in 0..<15 {
            fixture.clock.advance(by: .seconds(1))
            slow.progress?.report(nextWithin: .seconds(2), "piece")
        }
        #expect(fixture.mediator.state == .background)
        #expect(fixture.mediator.pending == ["slow"])
        slow.finish()
        await fixture.until { fixture.mediator.state == .notRunning }

        #expect(outcomes() == [.completed, .completed])
        #expect(fixture.progress.filter(\.isExtended).count == 12)
        #expect(fixture.progress.last?.name == "slow" && fixture.progress.last?.text == "piece")
        #expect(fixture.progress.last?.remaining == .seconds(2))
    }

    @Test func answerIsCancelledWhenReportsCease() {
        fixture.clock.advance(by: .seconds(4))
        slow.progress?.report(nextWithin: .seconds(3))

        fixture.clock.advance(by: .milliseconds(2999))
        #expect(fixture.mediator.state == .background)
        fixture.clock.advance(by: .milliseconds(1))

        #expect(fixture.mediator.state == .notRunning)
        #expect(outcomes().first == .overran)
        slow.finish()
    }

    @Test func progressDoesNotMoveTheDeclaredDeadline() {
        for _ in 0..<30 {
            slow.progress?.report(nextWithin: .seconds(60))
            fixture.clock.advance(by: .seconds(1))
        }

        let duration = fixture.ended.last?.notifications.last?.listeners.first?.duration
        #expect(duration == .seconds(20))
        slow.finish()
    }

    /// A program that reports progress for ever does not keep the service.
    @Test(arguments: [1, 2, 3])
    func progressExtendsAStopToAMultipleOfItsTime(factor: Int) throws {
        let deadlines = LifecycleDeadlines(stop: .seconds(6), stopExtensionMax: factor)
        let fixture = MediatorFixture(deadlines: deadlines)
        let hanging = fixture.listener("hanging", [.willTerminate], deadline: .seconds(2), .stubborn)
        let slow = fixture.slow(deadline: .seconds(100))
        fixture.perform(.launch, .stop)

        for _ in 0..<30 {
            slow.progress?.report(nextWithin: .seconds(60))
            fixture.clock.advance(by: .seconds(1))
        }

        let durations = fixture.ended.last?.notifications.last?.listeners.map(\.duration)
        #expect(durations == [.seconds(6 * factor - 2), .seconds(2)])
        for ended in [self.slow.finish, slow.finish, hanging.finish] { ended() }
    }

    @Test func taskWithProgressKeepsAStopForAMultipleOfItsTime() {
        let fixture = MediatorFixture(deadlines: LifecycleDeadlines(stop: .seconds(6)))
        fixture.perform(.launch)
        let task = fixture.mediator.beginBackgroundTask(named: "upload", deadline: .seconds(100))
        fixture.perform(.stop)

        for _ in 0..<11 {
            task.reportProgress(nextWithin: .seconds(60))
            fixture.clock.advance(by: .seconds(1))
        }
        #expect(!task.isEnded)
        fixture.clock.advance(by: .seconds(1))

        #expect(task.isEnded && fixture.mediator.state == .notRunning)
        slow.finish()
    }

    @Test func progressWithinTheShareExtendsNothing() {
        fixture.clock.advance(by: .seconds(1))
        slow.progress?.report(nextWithin: .seconds(2))

        #expect(fixture.progress.map(\.isExtended) == [false])
        #expect(fixture.progress.map(\.remaining) == [.seconds(4)])
        slow.finish()
    }

    @Test func progressAfterTheEndHasNoEffect() async {
        let progress = slow.progress
        slow.finish()
        await fixture.until { fixture.mediator.state == .notRunning }

        progress?.report()

        #expect(fixture.progress.isEmpty)
    }

    @Test func progressOfALeafExtendsTheComposite() throws {
        let fixture = MediatorFixture(deadlines: LifecycleDeadlines(stop: .seconds(5)))
        let leaf = SlowListener("leaf", deadline: .seconds(20))
        try fixture.mediator.addListener(CompositeListener("tree", clock: fixture.clock, [leaf]))
        fixture.recordProgress()
        fixture.perform(.launch, .stop)

        fixture.clock.advance(by: .seconds(4))
        leaf.progress?.report(nextWithin: .seconds(5), "half")
        fixture.clock.advance(by: .seconds(4))

        #expect(fixture.mediator.state == .background)
        #expect(fixture.progress.map(\.name) == ["tree"])
        #expect(fixture.progress.map(\.text) == ["leaf: half"])
        leaf.finish()
        slow.finish()
    }

    @Test func taskWithProgressDelaysAStopUpToItsDeadline() {
        let fixture = MediatorFixture(deadlines: LifecycleDeadlines(stop: .seconds(5)))
        fixture.recordProgress()
        fixture.perform(.launch)
        let task = fixture.mediator.beginBackgroundTask(named: "upload", deadline: .seconds(8))
        fixture.perform(.stop)

        for _ in 0..<7 {
            fixture.clock.advance(by: .seconds(1))
            task.reportProgress(nextWithin: .seconds(3), "more")
        }
        #expect(fixture.mediator.pending == ["upload"])
        #expect(fixture.mediator.state == .inactive)
        fixture.clock.advance(by: .seconds(1))

        #expect(task.isEnded)
        #expect(fixture.mediator.state == .notRunning)
        #expect(fixture.progress.last?.isExtended == true)
        slow.finish()
    }

    @Test(arguments: [1, 3, 12, 60])
    func newDeadlinesHoldForTheTransitionUnderWay(seconds: Int) {
        fixture.clock.advance(by: .seconds(1))

        fixture.mediator.deadlines.stop = .seconds(seconds)

        let left = min(seconds, 20) - 1
        if left > 0 {
            #expect(fixture.mediator.remainingTime == .seconds(seconds - 1))
            fixture.clock.advance(by: .seconds(left) - .microseconds(1))
            #expect(fixture.mediator.state == .background)
            fixture.clock.advance(by: .microseconds(1))
        }
        #expect(fixture.mediator.state == .notRunning)
        #expect(outcomes().first == .overran)
        slow.finish()
    }

    @Test func newDeadlinesHoldForBackgroundTasks() {
        let fixture = MediatorFixture(deadlines: LifecycleDeadlines(stop: .seconds(25)))
        fixture.perform(.launch)
        let task = fixture.mediator.beginBackgroundTask(named: "upload", deadline: .seconds(60))
        fixture.perform(.stop)

        fixture.mediator.deadlines.stop = .seconds(3)
        fixture.clock.advance(by: .seconds(3))

        #expect(task.isEnded)
        #expect(fixture.mediator.state == .notRunning)
        slow.finish()
    }
}

/// The deadline of one answer.
struct CallDeadlineTests {
    let fixture = MediatorFixture()

    /// A listener whose answer to a pause first blocks the thread and ends when `end` is called.
    private func listener(
        blocking time: Duration = .zero, deadline: Duration? = nil,
        _ begun: @escaping (@escaping () -> Void) -> Void = { _ in }
    ) -> ClosureListener {
        ClosureListener("slow") { [clock = fixture.clock] in
            $0.onCompletion(.didEnterBackground, deadline: deadline) { _, completion in
                begun { completion(.success(())) }
                clock.block(for: time)
                return {}
            }
        }
    }

    private var report: ListenerReport? { fixture.ended.last?.notifications.last?.listeners.last }

    /// The share counts from the beginning of the answer, not from the end of its first step.
    @Test(arguments: [0, 3, 5, 8])
    func firstStepUsesUpItsShare(seconds: Int) throws {
        try fixture.mediator.addListener(listener(blocking: .seconds(seconds), deadline: .seconds(5)))
        fixture.perform(.launch, .pause)

        fixture.clock.advance(by: .seconds(5 - min(seconds, 5)))

        #expect(report?.outcome == .overran && report?.duration == .seconds(max(seconds, 5)))
    }

    @Test(arguments: [12, 15, 20])
    func raisedDeadlineIsTheLimitOfLateness(seconds: Int) throws {
        var end: () -> Void = {}
        try fixture.mediator.addListener(listener { end = $0 })
        fixture.perform(.launch, .pause)
        fixture.mediator.deadlines = LifecycleDeadlines(listener: .seconds(15), transition: .seconds(100))

        fixture.clock.block(for: .seconds(seconds))
        end()

        #expect(report?.outcome == (seconds > 15 ? .late : .completed))
        #expect(report?.duration == .seconds(seconds))
    }

    /// What a cancellation answers comes too late.
    @Test func answerOfItsCancellationHasNoEffect() throws {
        let listener = ClosureListener("obedient") {
            $0.onCompletion(.didEnterBackground, deadline: .seconds(5)) { _, completion in { completion(.success(())) }
            }
        }
        try fixture.mediator.addListener(listener)
        fixture.perform(.launch, .pause)

        fixture.clock.advance(by: .seconds(5))

        #expect(report?.outcome == .overran)
    }
}

/// Answers that block the thread, so that no timer can end them.
struct LateAnswerTests {
    let fixture = MediatorFixture(deadlines: LifecycleDeadlines(listener: .seconds(5)))

    nonisolated enum Kind: Sendable { case immediate, suspending, completing }

    /// With no time at all the first step of an answer is not late, also if a call of the same notification has taken the time away.
    @Test(arguments: [Kind.immediate, .suspending, .completing])
    func answersAfterASecondStopAreNotLate(_ kind: Kind) throws {
        let hasty = ClosureListener("hasty") { [mediator = fixture.mediator] in
            $0.on(.willResignActive) { _ in mediator.perform(.stop) }
        }
        try fixture.mediator.addListener(blocking(kind, on: .willResignActive, for: .seconds(6)))
        try fixture.mediator.addListener(hasty)

        fixture.perform(.launch, .stop)

        let report = try #require(fixture.ended.first { $0.trigger == .stop }?.notifications.first)
        #expect(report.listeners.map(\.listener) == ["hasty", "blocking"])
        #expect(report.listeners.map(\.outcome) == [.completed, .completed])
    }

    /// A listener whose answer blocks the thread.
    private func blocking(
        _ kind: Kind, on interest: LifecycleNotification.Name = .flushRequested, for time: Duration
    ) -> ClosureListener {
        ClosureListener("blocking") { [clock = fixture.clock] listener in
            switch kind {
            case .immediate: listener.on(interest) { _ in clock.block(for: time) }
            case .suspending: listener.on(interest, deadline: nil) { _ async in clock.block(for: time) }
            case .completing:
                listener.onCompletion(interest) { _, completion in
                    clock.block(for: time)
                    completion(.success(()))
                    return {}
                }
            }
        }
    }

    private func outcomes(_ listener: ClosureListener, _ act: (LifecycleMediator) -> Void) throws -> [ListenerReport] {
        var reports: [ListenerReport] = []
        fixture.observe { if case .delivered(let report) = $0 { reports += report.listeners } }
        try fixture.mediator.addListener(listener)
        fixture.perform(.launch)
        act(fixture.mediator)
        return reports
    }

    @Test(arguments: [Kind.immediate, .suspending, .completing])
    func blockingAnswerPastItsDeadlineIsLate(kind: Kind) throws {
        let listener = blocking(kind, for: .seconds(6))

        let reports = try outcomes(listener) { $0.post(.flushRequested) }

        #expect(reports.map(\.outcome) == [.late])
        #expect(reports.map(\.duration) == [.seconds(6)])
        #expect(fixture.mediator.listeners.first?.record.failures == 1)
    }

    @Test(arguments: [Kind.immediate, .suspending, .completing])
    func blockingAnswerUpToItsDeadlineIsNotLate(kind: Kind) throws {
        let listener = blocking(kind, for: .seconds(5))

        let reports = try outcomes(listener) { $0.post(.flushRequested) }

        #expect(reports.map(\.outcome) == [.completed])
    }

    @Test func lateAnswerToDidReloadSucceeds() throws {
        let listener = blocking(.immediate, on: .didReload, for: .seconds(6))
        var result: TransitionReport.Result?

        let reports = try outcomes(listener) { $0.perform(.reload) { result = $0.result } }

        #expect(reports.map(\.outcome) == [.late])
        #expect(result == .completed)
    }

    @Test func firstStepWithoutTimeIsNotLate() throws {
        let listener = blocking(.immediate, on: .willTerminate, for: .seconds(6))
        let cutting = fixture.mediator.addObserver(forName: .willTerminate) { [fixture] _ in fixture.perform(.stop) }

        let reports = try outcomes(listener) { $0.perform(.stop) }

        #expect(reports.map(\.outcome) == [.completed])
        cutting.cancel()
    }
}
