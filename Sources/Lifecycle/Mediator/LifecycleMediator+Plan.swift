// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What would happen now.
extension LifecycleMediator {
    /// What a trigger would do in the present state.
    public func plan(for trigger: LifecycleTrigger) -> LifecyclePlan {
        let steps = transitions.machine.steps(for: trigger)
        let isLeaving = trigger == .pause || trigger == .stop
        let tasks = isLeaving && !steps.isEmpty ? transitions.backgroundTasks.underWay : []
        return plan(
            steps.compactMap { step in step.name.map { ($0, step.from, step.to) } },
            tasks: tasks.map { LifecyclePlan.Task(name: $0.name, remaining: $0.remainingTime) },
            limit: deadlines.limit(of: trigger))
    }

    /// What a post of this name would do.
    public func plan(forPosting name: LifecycleNotification.Name) -> LifecyclePlan {
        plan([(name, state, state)], tasks: [], limit: nil)
    }

    private func plan(
        _ steps: [(name: LifecycleNotification.Name, from: LifecycleState, to: LifecycleState)],
        tasks: [LifecyclePlan.Task], limit: Duration?
    ) -> LifecyclePlan {
        let groups = steps.map { registry.groups(answering: $0.name) }
        let times = zip(steps, groups).flatMap { step, groups in
            groups.map { ListenerRegistry.time(of: [$0], for: step.name, unless: deadlines.listener) }
        }
        let longest = times.reduce(tasks.map(\.remaining).max() ?? .zero, +)
        let planned = zip(steps, groups).map { step, groups in
            LifecyclePlan.Step(
                name: step.name, previousState: step.from, state: step.to,
                groups: groups.map { $0.compactMap { call($0, step.name, longest: longest, limit: limit) } })
        }
        return LifecyclePlan(tasks: tasks, steps: planned, limit: limit, longest: longest)
    }

    private func call(
        _ entry: ListenerEntry, _ name: LifecycleNotification.Name, longest: Duration, limit: Duration?
    ) -> LifecyclePlan.Call? {
        // Any action may be asked for; each has its answer.
        let answers = name == .performAction ? entry.actionAnswers : [entry.answer(to: name)].compactMap { $0 }
        guard let answer = answers.max(by: { deadline(of: $0) < deadline(of: $1) }) else { return nil }
        let time = answer.isImmediate ? nil : deadline(of: answer)
        // Shares stand to each other as the wishes do, so that each is the same part of the whole.
        let share = time.map { TimeShare(of: $0, before: longest - $0, within: limit ?? longest).time }
        return LifecyclePlan.Call(
            listener: entry.place.name, deadline: time, share: share, rehearses: answer.rehearsal != nil)
    }
}
