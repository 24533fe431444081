// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// One random scenario: listeners and observers with their behaviour, and a sequence of steps. Made from its seed alone.
package nonisolated struct Scenario: Sendable {
    /// How an answer, or a call of it that hangs, ends.
    enum End: Sendable {
        /// It returns; for a notification with results, the value picks one.
        case returning(Int)
        /// It throws an error.
        case throwing
        /// It throws a refusal.
        case refusing
        /// It waits for a `resume`: ignores cancellation if `stubborn`, and is off the main actor if `elsewhere`.
        case hanging(stubborn: Bool, elsewhere: Bool)
    }

    /// What a listener does in one call: `before` it ends or hangs, and `after` it was resumed.
    struct Behaviour: Sendable {
        var before: [Step] = []
        var end = End.returning(1)
        var after: [Step] = []
    }

    /// The three ways to declare an answer.
    enum Kind: Sendable { case immediate, suspending, completing }

    /// An answer as it is declared.
    struct Answer: Sendable {
        let name: LifecycleNotification.Name
        let kind: Kind
        let deadline: Duration?
        let action: String
    }

    /// A listener. `answers` has two declarations; `update` switches to the other one.
    struct Listener: Sendable {
        let name: String
        let rank: Int?
        let follows: [String]
        let isPrimary: Bool
        let answers: [[Answer]]
        let behaviours: [Behaviour]

        func behaviour(_ call: Int) -> Behaviour { call < behaviours.count ? behaviours[call] : Behaviour() }
    }

    /// An observer, and what it does in each call.
    struct Observer: Sendable {
        let name: LifecycleNotification.Name?
        let reactions: [[Step]]
    }

    /// Something that happens, at the top or inside an answer, an observer, a completion or an expiration.
    indirect enum Step: Sendable {
        case perform(LifecycleTrigger, id: Int, count: Int?, then: [Step])
        case post(LifecycleNotification.Name, action: String, id: Int?, then: [Step])
        case advance(Duration)
        /// Keeps the thread: no timer fires before the next `advance`.
        case block(Duration)
        case retune(LifecycleDeadlines)
        case resume(Int, End)
        case add(Int)
        case remove(Int)
        case update(Int)
        case observe(Int)
        case ignore(Int)
        case beginTask(Int, Duration, expiration: [Step])
        case endTask(Int)
        case dropTask(Int)
    }

    let seed: UInt64
    let deadlines: LifecycleDeadlines
    let hasReportObserver: Bool
    /// Whether the configuration can be read, reload after reload.
    let reloads: [Bool]
    /// Whether the service was paused when its last run ended.
    let isPaused: Bool
    let listeners: [Listener]
    let observers: [Observer]
    let steps: [Step]
}

nonisolated extension Scenario.End {
    /// The returned value. An answer that cannot hang returns as if it had been resumed.
    func value() throws -> Int {
        switch self {
        case .returning(let value): return value
        case .throwing: throw ScenarioError.oops
        case .refusing: throw LifecycleRefusal("no")
        case .hanging: return 1
        }
    }
}

/// A listener of a scenario, on the real mediator.
final class ScenarioListener: LifecycleListener {
    let index: Int
    var isUpdated = false
    var calls = 0
    private let plan: Scenario.Listener
    private unowned let run: ScenarioRun

    init(_ index: Int, in run: ScenarioRun) {
        self.index = index
        self.run = run
        plan = run.scenario.listeners[index]
    }

    var name: String { plan.name }
    var rank: Int? { plan.rank }
    var follows: [String] { plan.follows }

    var answers: [LifecycleAnswer] {
        for answer in plan.answers[isUpdated ? 1 : 0] { declared(answer) }
    }

    private func declared(_ plan: Scenario.Answer) -> LifecycleAnswer {
        switch (plan.name, plan.kind) {
        case (.performFetch, _):
            onFetch(deadline: plan.deadline) { [self] in
                [.newData, .noData, .failed][try await answer(plan.name, $0)]
            }
        case (.openURL, _): onOpenURL(deadline: plan.deadline) { [self] _ in try await answer(plan.name, nil) == 0 }
        case (.performAction, _):
            onAction(plan.action, title: "", deadline: plan.deadline) { [self] in _ = try await answer(plan.name, $0) }
        case (_, .immediate): on(plan.name) { [self] in try answerAtOnce($0) }
        case (_, .suspending):
            on(plan.name, deadline: plan.deadline) { [self] in _ = try await answer(plan.name, $0) }
        case (_, .completing):
            onCompletion(plan.name, deadline: plan.deadline) { [self] in answer($0, completion: $1) }
        }
    }

    private func answerAtOnce(_ notification: LifecycleNotification) throws {
        _ = try value(begin(notification.name, notification).behaviour.end)
    }

    private func answer(
        _ name: LifecycleNotification.Name, _ notification: LifecycleNotification?
    ) async throws -> Int {
        let (call, behaviour) = begin(name, notification)
        guard let hanging = hanging(behaviour, call) else { return try value(behaviour.end) }
        await hanging.wait { [run] in run.cancel(hanging) }
        defer { run.returned() }
        if !hanging.wasGivenUp { run.execute(hanging.after) }
        return try value(hanging.end)
    }

    private func answer(
        _ notification: LifecycleNotification, completion: @escaping (Result<Void, any Error>) -> Void
    ) -> () -> Void {
        let (call, behaviour) = begin(notification.name, notification)
        guard let hanging = hanging(behaviour, call) else {
            completion(Result { _ = try value(behaviour.end) })
            return { [run, index] in run.events.append(.cancelled(index, call: call)) }
        }
        hanging.completion = completion
        return { [run] in run.cancel(hanging) }
    }

    private func begin(
        _ name: LifecycleNotification.Name, _ notification: LifecycleNotification?
    ) -> (call: Int, behaviour: Scenario.Behaviour) {
        let call = calls
        calls += 1
        run.events.append(
            .received(
                index, call: call, notification?.sequence ?? 0, name,
                configuration: notification?.configuration.map { $0[Int.self] ?? -1 }))
        let behaviour = plan.behaviour(call)
        run.execute(behaviour.before)
        return (call, behaviour)
    }

    private func hanging(_ behaviour: Scenario.Behaviour, _ call: Int) -> HangingAnswer? {
        guard case .hanging(let isStubborn, let isElsewhere) = behaviour.end else { return nil }
        let hanging = HangingAnswer(
            listener: index, call: call, isStubborn: isStubborn, isElsewhere: isElsewhere, after: behaviour.after)
        run.hanging.append(hanging)
        return hanging
    }

    private func value(_ end: Scenario.End) throws -> Int { try end.value() }
}

/// An observable event. The mediator and the reference model must produce the same events in the same order.
nonisolated enum ScenarioEvent: Equatable, Sendable {
    /// The outcome of one listener.
    struct Answered: Equatable, Sendable {
        let listener: String
        let outcome: ListenerOutcome
        let duration: Duration
    }

    case observed(
        Int, UInt64, LifecycleNotification.Name, from: LifecycleState, to: LifecycleState, in: LifecycleState,
        count: Int?)
    /// The number is 0 if the answer does not get the notification.
    case received(Int, call: Int, UInt64, LifecycleNotification.Name, configuration: Int?)
    case cancelled(Int, call: Int)
    case reported(UInt64, [Answered])
    case answered(id: Int, UInt64, FetchResult, handledBy: String?, [Answered])
    case ended(
        id: Int, LifecycleTrigger, TransitionReport.Result, notifications: [UInt64], isCutShort: Bool)
    case transition(LifecycleTrigger, TransitionReport.Result)
    case expired(Int)
    case notAdded(Int)
}
