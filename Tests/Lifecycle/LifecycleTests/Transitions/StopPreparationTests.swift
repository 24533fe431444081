// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

/// What a stop waits for before it begins, and before `willTerminate`.
@Suite(.timeLimit(.minutes(1)))
struct StopPreparationTests {
    private static let all = ["willResignActive", "didEnterBackground", "willTerminate"]
    let fixture = MediatorFixture()
    private let turn = Preparation()
    private let reason = Preparation()

    private let posted = Posted()
    private let observation: LifecycleObservation

    private final class Preparation {
        var done: (() -> Void)?
    }

    private final class Posted {
        var names: [String] = []
    }

    init() {
        fixture.perform(.launch)
        observation = fixture.mediator.addObserver { [posted] in posted.names.append($0.name.rawValue) }
    }

    private func stop() {
        fixture.mediator.stop(
            origin: .service, userInfo: [:],
            preparing: [
                StopPreparation(.beginning, waitingFor: { ["worker.service"] }) { [weak turn] in turn?.done = $0 },
                StopPreparation(.termination, limit: .seconds(5)) { [weak reason] in reason?.done = $0 },
            ])
    }

    private var names: [String] { posted.names }

    @Test func nothingIsToldBeforeTheTurn() {
        stop()
        fixture.clock.advance(by: .seconds(600))

        #expect(names == [] && reason.done == nil)
        #expect(fixture.mediator.isAwaitingTurn && fixture.mediator.pending == ["worker.service"])
        turn.done?()
        #expect(names == Self.all.dropLast() && !fixture.mediator.isAwaitingTurn && fixture.mediator.pending == [])
        reason.done?()
        #expect(names == Self.all)
    }

    @Test func theTurnTakesNothingOfTheTimeOfTheStop() throws {
        let limit = fixture.mediator.deadlines.stop
        stop()
        fixture.clock.advance(by: limit * 3)
        turn.done?()

        #expect(fixture.mediator.remainingTime == limit)
    }

    @Test func theReasonIsAskedForWhenItIsDueAndHasALimit() {
        let task = fixture.mediator.beginBackgroundTask(named: "copy", deadline: .seconds(2))
        stop()
        turn.done?()
        #expect(reason.done == nil)
        task.end()
        #expect(reason.done != nil && names == Self.all.dropLast())

        fixture.clock.advance(by: .seconds(5))

        #expect(names == Self.all)
        // Too late.
        reason.done?()
        #expect(names == Self.all)
    }

    @Test func aSecondStopWaitsForNeither() {
        stop()
        fixture.perform(.stop)

        #expect(names == Self.all && reason.done == nil)
        turn.done?()
        #expect(names == Self.all)
    }
}
