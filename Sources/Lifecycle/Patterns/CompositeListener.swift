// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A tree of listeners that is one listener to the mediator.
///
/// It answers what any of its leaves answers, and tells those that do in order, by their ranks and by whom they follow
/// within the composite; in reverse order for leaving notifications. A leaf that fails stops no other one. What went
/// wrong is reported with the names of the leaves, and a refusal of any leaf is a refusal of the composite. A leaf may
/// be a composite itself.
public final class CompositeListener: LifecycleListener {
    /// What the composite is called.
    public let name: String
    /// Names of listeners that are told before the whole composite on the way up.
    public let follows: [String]
    /// The rank of the composite among its neighbours.
    public let rank: Int?
    private let clock: any LifecycleClock
    private let deadline: Duration
    private let registry = ListenerRegistry()

    /// Makes a composite.
    ///
    /// - Parameters:
    ///   - name: what it is called.
    ///   - clock: the time, by which leaves are measured and end; the mediator's.
    ///   - deadline: how long a leaf may take that names no deadline of its own. The composite may take as long as its
    ///     leaves one after the other.
    ///   - follows: names of listeners that are told before the whole composite on the way up.
    ///   - rank: the rank of the composite among its neighbours.
    ///   - leaves: the listeners, in order.
    /// - Throws: when two leaves have one name, or leaves would follow each other in a circle.
    public init(
        _ name: String, clock: any LifecycleClock, deadline: Duration = .seconds(10), follows: [String] = [],
        rank: Int? = nil, _ leaves: [any LifecycleListener]
    ) throws(ListenerOrderError) {
        self.name = name
        self.clock = clock
        self.deadline = deadline.bounded
        self.follows = follows
        self.rank = rank
        for leaf in leaves { try registry.add(leaf, isPrimary: false) }
    }

    /// Adds a leaf. Where it brings interests, `LifecycleMediator.updateAnswers(of:)` with the outermost composite
    /// makes them known.
    ///
    /// - Throws: when another leaf has its name, or leaves would follow each other in a circle; the leaf is then not added.
    public func add(_ leaf: any LifecycleListener) throws(ListenerOrderError) {
        try registry.add(leaf, isPrimary: false)
    }

    /// Removes a leaf. It is not called any more, not even for a notification that is being delivered.
    public func remove(_ leaf: any LifecycleListener) { registry.remove(leaf) }

    /// What is known of each leaf, in the order of arriving notifications.
    public var leaves: [ListenerStatus] { registry.statuses(deadline: deadline) }

    /// That of the leaf that is worst, with the reasons of all that are not healthy.
    public var health: ListenerHealth { .combined(registry.unhealthy) }

    var restorable: [any RestorableListener] { registry.restorable }

    /// The answers of all leaves together.
    public var answers: [LifecycleAnswer] {
        for name in registry.interests where name != .performAction {
            let groups = registry.groups(answering: name)
            let times = groups.map { $0.compactMap { $0.answer(to: name) }.map(deadline(of:)).max() ?? .zero }
            answer(name, deadline: times.reduce(.zero, +))
        }
        for offer in registry.actionAnswers {
            answer(.performAction, deadline: deadline(of: offer), action: offer.action)
        }
    }

    private func deadline(of answer: LifecycleAnswer) -> Duration { answer.deadline ?? deadline }

    private func answer(
        _ name: LifecycleNotification.Name, deadline: Duration, action: LifecycleAction? = nil
    ) -> LifecycleAnswer {
        let rehearses = registry.groups(answering: name).joined().contains { $0.answer(to: name)?.rehearsal != nil }
        return LifecycleAnswer(
            name, deadline: deadline, action: action,
            rehearsal: rehearses ? .completing { [self] in deliver($0, $1, isRehearsal: true, $2) } : nil,
            .completing { [self] in deliver($0, $1, isRehearsal: false, $2) })
    }

    private func deliver(
        _ notification: LifecycleNotification, _ progress: ListenerProgress, isRehearsal: Bool,
        _ completion: @escaping (ListenerOutcome) -> Void
    ) -> () -> Void {
        let delivery = Delivery(
            notification, to: registry.groups(answering: notification.name), clock: clock,
            deadline: deadline, isRehearsal: isRehearsal, isOutcomeWanted: progress.isOutcomeWanted,
            share: { [self] answer, _, _ in TimeShare(deadline(of: answer)) },
            progress: { leaf, report in
                progress.report(nextWithin: report.window, report.text.map { "\(leaf): \($0)" } ?? leaf)
            },
            { completion($0.combinedOutcome) })
        delivery.advance()
        return { delivery.cutShort() }
    }
}
