// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The result of a rehearsal.
public nonisolated struct RehearsalReport: Sendable {
    /// One notification of a rehearsal.
    public struct Step: Sendable {
        /// The notification.
        public let name: LifecycleNotification.Name
        /// The result of each dry run, in the order of the calls.
        public let listeners: [ListenerReport]
        /// The listeners that would be called and have no dry run.
        public let skipped: [String]
    }

    /// The notifications in order, up to the first problem.
    public let steps: [Step]
    /// The report of a rehearsal without notifications.
    package static let nothing = RehearsalReport(steps: [], reasons: [])

    /// Why the trigger or the post would not succeed; empty when no dry run failed.
    public let reasons: [String]

    /// The listeners that would be called but have no dry run, each once, in the order of the calls. They may still
    /// refuse or fail. Attached programs have a dry run if they say so.
    public var unasked: [String] {
        let asked = Set(steps.flatMap(\.listeners).map(\.listener))
        var seen: Set<String> = []
        return steps.flatMap(\.skipped).filter { !asked.contains($0) && seen.insert($0).inserted }
    }
}

nonisolated extension LifecycleNotification {
    /// Whether it asks for a dry run. Numbers of other notifications begin with 1.
    package var isRehearsal: Bool { sequence == 0 }
}

extension LifecycleMediator {
    /// Rehearses a trigger in the present state: the dry runs of the listeners are called in order, with their deadlines,
    /// and nothing changes. A reload reads the configuration, and rehearses with the new one.
    ///
    /// Observers are not called, no sequence number is used, and the records of listeners do not change. The notification
    /// has `rehearsal: true` and the number 0.
    ///
    /// - Parameters:
    ///   - trigger: the trigger.
    ///   - origin: who asked.
    ///   - completion: called once with the result; before this returns if no dry run suspends.
    public func rehearse(
        _ trigger: LifecycleTrigger, origin: LifecycleOrigin = .service,
        completion: @escaping (RehearsalReport) -> Void
    ) {
        let transition = Transition(trigger, origin: origin, userInfo: [:], nil)
        transition.steps = transitions.machine.steps(for: trigger)
        if trigger == .reload, !transition.steps.isEmpty { read(into: transition) }
        transition.limitUsec = deadlines.limit(of: trigger).end(from: clock.monotonicUsec)
        rehearse(transition, after: [], completion)
    }

    /// Rehearses a post, as `rehearse(_:origin:completion:)` rehearses a trigger.
    public func rehearse(
        posting name: LifecycleNotification.Name, origin: LifecycleOrigin = .service,
        completion: @escaping (RehearsalReport) -> Void
    ) {
        let transition = Transition(.resume, origin: origin, userInfo: [:], nil)
        transition.steps = [LifecycleStep(name, state, state)]
        rehearse(transition, after: [], completion)
    }

    private func rehearse(
        _ transition: Transition, after done: [RehearsalReport.Step],
        _ completion: @escaping (RehearsalReport) -> Void
    ) {
        guard transition.reasons.isEmpty, !transition.steps.isEmpty else {
            return completion(RehearsalReport(steps: done, reasons: transition.reasons))
        }
        let step = transition.steps.removeFirst()
        guard let name = step.name else { return rehearse(transition, after: done, completion) }
        let notification = LifecycleNotification(
            name: name, sequence: 0, time: clock.now, previousState: step.from, state: step.to,
            origin: transition.origin, trigger: name.isTransition ? transition.trigger : nil,
            userInfo: userInfo(for: name, of: transition).merging(["rehearsal": true]) { $1 },
            configuration: transition.configuration)
        let groups = registry.groups(answering: name)
        let skipped = groups.joined().filter { $0.answer(to: name)?.rehearsal == nil }.map(\.place.name)
        let delivery = Delivery(
            notification, to: groups, clock: clock, deadline: deadlines.listener, isRehearsal: true,
            share: shares(of: groups, in: transition, name)
        ) { [self] report in
            transition.reasons += report.problems
            let step = RehearsalReport.Step(name: name, listeners: report.listeners, skipped: skipped)
            rehearse(transition, after: done + [step], completion)
        }
        delivery.advance()
    }
}
