// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a trigger or a post would do now: which listeners would be called, in which order, and how long that may take.
public nonisolated struct LifecyclePlan: Sendable, Equatable {
    /// A listener that would be called.
    public struct Call: Sendable, Equatable {
        /// The listener's name.
        public let listener: String
        /// How long its answer may take; nil for an immediate answer.
        public let deadline: Duration?
        /// Its share if all listeners before it use their whole shares.
        public let share: Duration?
    }

    /// A notification that would be delivered.
    public struct Step: Sendable, Equatable {
        /// The notification.
        public let name: LifecycleNotification.Name
        /// The state before.
        public let previousState: LifecycleState
        /// The state after.
        public let state: LifecycleState
        /// The listeners, in groups; the members of a group are called concurrently.
        public let groups: [[Call]]
    }

    /// A background task that would delay the transition.
    public struct Task: Sendable, Equatable {
        /// Its name.
        public let name: String
        /// The time until it expires, at most the limit of the plan.
        public let remaining: Duration
    }

    /// The background tasks under way, which come first.
    public let tasks: [Task]
    /// The notifications, in order.
    public let steps: [Step]
    /// The time for all together; nil if there is no limit.
    public let limit: Duration?
    /// How long it takes if every task and answer uses all its time.
    public let longest: Duration

    /// Whether the limit is enough for that.
    public var fits: Bool { limit.map { longest <= $0 } ?? true }
}

extension LifecycleMediator {
    /// What a trigger would do in the present state.
    public func plan(for trigger: LifecycleTrigger) -> LifecyclePlan {
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
        // Any of the actions may be asked for.
        let answers = name == .performAction ? entry.actionAnswers : [entry.answer(to: name)].compactMap { $0 }
        guard let answer = answers.max(by: { deadline(of: $0) < deadline(of: $1) }) else { return nil }
        let time = answer.isImmediate ? nil : deadline(of: answer)
        // All shares are the same part of the times wanted.
        let share = time.map { TimeShare(of: $0, before: longest - $0, within: limit ?? longest).time }
        return LifecyclePlan.Call(listener: entry.place.name, deadline: time, share: share)
    }
}
