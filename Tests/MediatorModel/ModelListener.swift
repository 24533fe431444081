// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// A listener as the model knows it while it is there.
final class ModelListener {
    let index: Int
    let plan: Scenario.Listener
    var answers: [Scenario.Answer]
    var isGone = false
    var calls = 0
    var failures = 0
    var lastOutcome: ListenerOutcome?

    init(_ index: Int, _ plan: Scenario.Listener, answers: [Scenario.Answer]) {
        self.index = index
        self.plan = plan
        self.answers = answers
    }

    func answer(to name: LifecycleNotification.Name, action: String) -> Scenario.Answer? {
        answers.first { $0.name == name && (name != .performAction || $0.action == action) }
    }

    /// The groups in the order of arriving, or nil when they follow each other in a circle or two are primary: those of
    /// one rank stand where the first of them does, and again and again the first group comes that waits for nobody.
    static func groups(_ listeners: [ModelListener]) -> [[ModelListener]]? {
        guard listeners.count(where: \.plan.isPrimary) <= 1 else { return nil }
        var rest: [[ModelListener]] = []
        for listener in listeners where !listener.plan.isPrimary {
            if let rank = listener.plan.rank, let group = rest.firstIndex(where: { $0[0].plan.rank == rank }) {
                rest[group].append(listener)
            } else {
                rest.append([listener])
            }
        }
        if let primary = listeners.first(where: \.plan.isPrimary) {
            guard primary.plan.follows.isEmpty else { return nil }
            rest.insert([primary], at: 0)
        }
        var sorted: [[ModelListener]] = []
        while !rest.isEmpty {
            let waiting = Set(rest.joined().map(\.plan.name))
            let next = rest.firstIndex { group in group.allSatisfy { waiting.isDisjoint(with: $0.plan.follows) } }
            guard let next else { return nil }
            sorted.append(rest.remove(at: next))
        }
        return sorted
    }
}
