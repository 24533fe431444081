// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

/// Answers that keep the thread from everybody else, so that no timer can end them.
struct LateAnswerTests {
    let fixture = MediatorFixture(deadlines: LifecycleDeadlines(listener: .seconds(5)))

    private func outcomes(_ listener: BlockingListener, _ act: (LifecycleMediator) -> Void) throws -> [ListenerReport] {
        var reports: [ListenerReport] = []
        fixture.mediator.addReportObserver { reports += $0.listeners }
        try fixture.mediator.addListener(listener)
        fixture.perform(.launch)
        act(fixture.mediator)
        return reports
    }

    @Test(arguments: [BlockingListener.Kind.immediate, .suspending, .completing])
    func anAnswerThatBlocksPastItsDeadlineIsLate(kind: BlockingListener.Kind) throws {
        let listener = BlockingListener(kind, for: .seconds(6), fixture.clock)

        let reports = try outcomes(listener) { $0.post(.flushRequested) }

        #expect(reports.map(\.outcome) == [.late])
        #expect(reports.map(\.duration) == [.seconds(6)])
        #expect(fixture.mediator.listeners.first?.record.failures == 1)
    }

    @Test(arguments: [BlockingListener.Kind.immediate, .suspending, .completing])
    func oneThatBlocksUpToItsDeadlineIsNot(kind: BlockingListener.Kind) throws {
        let listener = BlockingListener(kind, for: .seconds(5), fixture.clock)

        let reports = try outcomes(listener) { $0.post(.flushRequested) }

        #expect(reports.map(\.outcome) == [.completed])
    }

    @Test func aReloadThatWasTakenLateIsTaken() throws {
        let listener = BlockingListener(.immediate, on: .didReload, for: .seconds(6), fixture.clock)
        var result: TransitionReport.Result?

        let reports = try outcomes(listener) { $0.perform(.reload) { result = $0.result } }

        #expect(reports.map(\.outcome) == [.late])
        #expect(result == .completed)
    }

    @Test func withoutTimeTheFirstStepIsNotLate() throws {
        let listener = BlockingListener(.immediate, on: .willTerminate, for: .seconds(6), fixture.clock)
        let cutting = fixture.mediator.addObserver(forName: .willTerminate) { [fixture] _ in fixture.perform(.stop) }

        let reports = try outcomes(listener) { $0.perform(.stop) }

        #expect(reports.map(\.outcome) == [.completed])
        cutting.cancel()
    }
}

/// A listener whose answer takes its time without giving the thread away.
final class BlockingListener: LifecycleListener {
    nonisolated enum Kind: Sendable { case immediate, suspending, completing }

    let name = "blocking"
    private let kind: Kind
    private let interest: LifecycleNotification.Name
    private let time: Duration
    private let clock: ManualClock

    init(
        _ kind: Kind, on interest: LifecycleNotification.Name = .flushRequested, for time: Duration,
        _ clock: ManualClock
    ) {
        self.kind = kind
        self.interest = interest
        self.time = time
        self.clock = clock
    }

    var answers: [LifecycleAnswer] {
        switch kind {
        case .immediate: on(interest) { [self] _ in clock.advance(by: time) }
        case .suspending: on(interest, deadline: nil) { [self] _ async in clock.advance(by: time) }
        case .completing:
            onCompletion(interest) { [self] _, completion in
                clock.advance(by: time)
                completion(.success(()))
                return {}
            }
        }
    }
}
