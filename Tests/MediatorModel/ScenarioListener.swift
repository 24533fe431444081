// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

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
            .told(
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
