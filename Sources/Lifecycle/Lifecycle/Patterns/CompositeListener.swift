// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A tree of listeners that is one listener for the mediator.
///
/// It answers every notification that one of its leaves answers, and calls these leaves in order, by `rank` and
/// `follows` within the composite; in reverse order for leaving notifications. A leaf that fails does not stop the
/// others. Problems are reported with the names of the leaves, and a refusal of one leaf is a refusal of the composite.
/// A leaf may be a composite itself.
public final class CompositeListener: LifecycleListener {
    /// The name of the composite.
    public let name: String
    /// Names of listeners that are called before the whole composite for arriving notifications.
    public let follows: [String]
    /// The rank of the composite.
    public let rank: Int?
    private let clock: any LifecycleClock
    private let deadline: Duration
    private let registry = ListenerRegistry()

    /// Makes a composite.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - clock: the clock of the mediator.
    ///   - deadline: how long a leaf may take that names no deadline of its own. The deadline of the composite is the
    ///     sum of those of its groups.
    ///   - follows: names of listeners that are called before the whole composite for arriving notifications.
    ///   - rank: the rank of the composite.
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
        for leaf in leaves { try registry.add(leaf) }
    }

    /// Adds a leaf. Call `LifecycleMediator.updateAnswers(of:)` with the outermost composite if the leaf answers new
    /// notifications.
    ///
    /// - Throws: when another leaf has its name, or leaves would follow each other in a circle; the leaf is then not
    ///   added.
    public func add(_ leaf: any LifecycleListener) throws(ListenerOrderError) {
        try registry.add(leaf)
    }

    /// Removes a leaf. It is not called again, not even for a notification that is being delivered. Call
    /// `LifecycleMediator.updateAnswers(of:)` with the outermost composite, so that its health does not count any more.
    public func remove(_ leaf: any LifecycleListener) { registry.remove(leaf) }

    /// The status of each leaf, in the order of arriving notifications.
    public var leaves: [ListenerStatus] { registry.statuses(deadline: deadline) }

    /// Whether at least one leaf is required. Then a failure of any leaf refuses a launch.
    public var isRequired: Bool { registry.hasRequired }

    /// The health of the worst leaf, with the reasons of all unhealthy ones.
    public var health: ListenerHealth { .combined(registry.unhealthy) }

    /// The leaves with a state that outlives the process.
    public var restorable: [any RestorableListener] { registry.restorable }

    /// The answers of all leaves together.
    public var answers: [LifecycleAnswer] {
        for name in registry.interests where name != .performAction {
            answer(name, deadline: time(of: registry.calls(of: name), for: name))
        }
        for offer in offers {
            answer(.performAction, deadline: deadline(of: offer), action: offer.action)
        }
    }

    /// Each action once, also if several leaves offer it.
    private var offers: [LifecycleAnswer] {
        var seen: Set<UTF8Text> = []
        return registry.actionAnswers.filter { seen.insert(UTF8Text($0.action?.id ?? "")).inserted }
    }

    /// The time that groups want together, each as much as the member that wants most.
    private func time(of calls: [DueCall], for name: LifecycleNotification.Name) -> Duration {
        let times = calls.reduce(into: [Int: Duration]()) { times, call in
            let wanted = call.entry.answer(to: name).map(deadline(of:)) ?? .zero
            times[call.group] = max(times[call.group] ?? .zero, wanted)
        }
        return times.values.reduce(.zero, +)
    }

    private func deadline(of answer: LifecycleAnswer) -> Duration { answer.deadline ?? deadline }

    private func answer(
        _ name: LifecycleNotification.Name, deadline: Duration, action: LifecycleAction? = nil
    ) -> LifecycleAnswer {
        LifecycleAnswer(
            name, deadline: deadline, action: action, .completing { [self] in deliver($0, $1, $2) })
    }

    private func deliver(
        _ notification: LifecycleNotification, _ progress: ListenerProgress,
        _ completion: @escaping (AnswerEnd) -> Void
    ) -> () -> Void {
        let delivery = Delivery(
            AnswerRound(
                notification, to: registry.calls(of: notification.name), deadline: deadline, events: nil), clock: clock,
            isOutcomeWanted: progress.isOutcomeWanted,
            share: { [self] answer, _, _ in TimeShare(deadline(of: answer)) },
            progress: { leaf, report in
                let text = report.text.map { "\(leaf): \($0)" } ?? leaf
                progress.report(nextWithin: report.window, text, details: report.details)
            },
            { completion(AnswerEnd($0.combinedOutcome, $0.combinedWork)) })
        delivery.advance()
        return { delivery.cutShort() }
    }
}
