// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a trigger or a post would do now: which listeners would be called, in which order, and how long that may take.
package nonisolated struct LifecyclePlan: Sendable, Equatable {
    /// A listener that would be called.
    package struct Call: Sendable, Equatable {
        /// The listener's name.
        package let listener: String
        /// How long its answer may take; nil for an immediate answer.
        package let deadline: Duration?
        /// Its share if all listeners before it use their whole shares.
        package let share: Duration?
    }

    /// A notification that would be delivered.
    package struct Step: Sendable, Equatable {
        /// The notification.
        package let name: LifecycleNotification.Name
        /// The state before.
        package let previousState: LifecycleState
        /// The state after.
        package let state: LifecycleState
        /// The listeners, in groups; the members of a group are called concurrently.
        package let groups: [[Call]]
    }

    /// A background task, and how long it would delay the transition at most.
    package struct Task: Sendable, Equatable {
        /// Its name.
        package let name: String
        /// The time until it expires, at most its share if everything else uses all its time.
        package let remaining: Duration
    }

    /// The background tasks under way, which are waited for after `willResignActive`.
    package let tasks: [Task]
    /// The notifications, in order.
    package let steps: [Step]
    /// The time for all together; nil if there is no limit.
    package let limit: Duration?
    /// How long it takes if every task and answer uses all its time.
    package let longest: Duration

    /// Whether the limit is enough for that.
    package var fits: Bool { limit.map { longest <= $0 } ?? true }

    /// The same without the calls for which nothing would be done.
    package func without(_ isIdle: (LifecycleNotification.Name, Call) -> Bool) -> LifecyclePlan {
        func time(_ steps: [Step]) -> Duration {
            steps.flatMap(\.groups).compactMap { $0.compactMap(\.deadline).max() }.reduce(.zero, +)
        }
        let rest = steps.map { step in
            let groups = step.groups.map { $0.filter { !isIdle(step.name, $0) } }
            return Step(name: step.name, previousState: step.previousState, state: step.state, groups: groups)
        }
        return LifecyclePlan(tasks: tasks, steps: rest, limit: limit, longest: longest - time(steps) + time(rest))
    }
}

extension LifecycleMediator {
    /// What a trigger would do in the present state.
    package func plan(for trigger: LifecycleTrigger) -> LifecyclePlan {
        let steps = transitions.machine.steps(for: trigger)
        let isLeaving = trigger == .pause || trigger == .stop
        let tasks = isLeaving && !steps.isEmpty ? backgroundTasks.underWay : []
        let limit = deadlines.limit(of: trigger)
        return plan(
            steps.compactMap { step in step.name.map { ($0, step.from, step.to) } },
            tasks: tasks.map { LifecyclePlan.Task(name: $0.name, remaining: min($0.remainingTime, max(limit, .zero))) },
            limit: limit)
    }

    /// What a post of this name would do.
    package func plan(forPosting name: LifecycleNotification.Name) -> LifecyclePlan {
        plan([(name, state, state)], tasks: [], limit: nil)
    }

    private func plan(
        _ steps: [(name: LifecycleNotification.Name, from: LifecycleState, to: LifecycleState)],
        tasks: [LifecyclePlan.Task], limit: Duration?
    ) -> LifecyclePlan {
        var wanted = steps.flatMap { timesWanted(by: $0.name) }
        if let task = tasks.map(\.remaining).max() { wanted.append(task) }
        let times = WantedTimes(wanted, within: limit ?? .longest)
        let largest = limit.map { times.largestShare(within: $0) }
        let planned = steps.map { step in
            let calls = registry.calls(of: step.name).reduce(into: [[LifecyclePlan.Call]]()) { groups, due in
                guard let call = call(due.entry, step.name, largest) else { return }
                if due.group < groups.count { groups[due.group].append(call) } else { groups.append([call]) }
            }
            return LifecyclePlan.Step(
                name: step.name, previousState: step.from, state: step.to, groups: calls)
        }
        let shared = tasks.map {
            LifecyclePlan.Task(name: $0.name, remaining: min($0.remaining, largest ?? $0.remaining))
        }
        return LifecyclePlan(tasks: shared, steps: planned, limit: limit, longest: times.sum)
    }

    private func call(
        _ entry: ListenerEntry, _ name: LifecycleNotification.Name, _ largestShare: Duration?
    ) -> LifecyclePlan.Call? {
        // Any of the actions may be asked for.
        let answers = name == .performAction ? entry.actionAnswers : [entry.answer(to: name)].compactMap { $0 }
        guard let answer = answers.max(by: { deadline(of: $0) < deadline(of: $1) }) else { return nil }
        let time = answer.isImmediate ? nil : deadline(of: answer)
        return LifecyclePlan.Call(
            listener: entry.place.name, deadline: time, share: time.map { min($0, largestShare ?? $0) })
    }
}
