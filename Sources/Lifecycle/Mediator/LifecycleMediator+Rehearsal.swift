// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What became of a rehearsal.
public nonisolated struct RehearsalReport: Sendable {
    /// One notification of it.
    public struct Step: Sendable {
        /// The notification.
        public let name: LifecycleNotification.Name
        /// What the dry run of each listener came to, in the order in which they ran.
        public let listeners: [ListenerReport]
        /// The listeners that would be told and allow no dry run.
        public let skipped: [String]
    }

    /// The notifications, in order, as far as the rehearsal came.
    public let steps: [Step]
    /// That of what delivers nothing.
    package static let nothing = RehearsalReport(steps: [], reasons: [])

    /// Why what was rehearsed would not succeed; none when no listener that was asked speaks against it.
    public let reasons: [String]

    /// The listeners that would be told, and of which no answer allows a dry run, so that they may still refuse or fail:
    /// each once, in the order in which they would be told. Attached programs are among them, as they cannot be asked.
    public var unasked: [String] {
        let asked = Set(steps.flatMap(\.listeners).map(\.listener))
        var seen: Set<String> = []
        return steps.flatMap(\.skipped).filter { !asked.contains($0) && seen.insert($0).inserted }
    }
}

/// Dry runs.
extension LifecycleMediator {
    /// Rehearses what a trigger would do in the present state: the listeners that allow a dry run are told in order,
    /// under their deadlines, and nothing changes. A reload reads the configuration, and rehearses with what it read.
    ///
    /// Observers hear nothing of it, no number is used up, and the records of listeners stay as they are. The
    /// notification carries `rehearsal: true` and the number 0.
    ///
    /// - Parameters:
    ///   - trigger: what is rehearsed.
    ///   - origin: who asked.
    ///   - completion: called once with what came of it; before this returns if no dry run suspends.
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

    /// Rehearses a post of this name, as `rehearse(_:origin:completion:)` does a trigger.
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
