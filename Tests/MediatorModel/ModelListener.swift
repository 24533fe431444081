// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import Synchronization

/// A listener in the model.
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

    /// The groups in the order of arriving notifications; nil for a cycle or for two primary listeners. A rank is at the place
    /// of its first member; the next group is always the first that follows none of the remaining ones.
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

/// A call of a listener that waits to be resumed.
final class HangingAnswer {
    let listener: Int
    let call: Int
    let isStubborn: Bool
    let after: [Scenario.Step]
    /// How it ends when it is resumed.
    var end = Scenario.End.returning(1)
    var wasGivenUp = false
    /// For an answer that ends by calling back.
    var completion: ((Result<Void, any Error>) -> Void)?
    private let isElsewhere: Bool
    private let gate = Gate()

    init(listener: Int, call: Int, isStubborn: Bool, isElsewhere: Bool, after: [Scenario.Step]) {
        self.listener = listener
        self.call = call
        self.isStubborn = isStubborn
        self.isElsewhere = isElsewhere
        self.after = after
    }

    func open() { gate.open() }

    /// Waits. `cancelled` is called when the task is cancelled, in the same turn.
    func wait(cancelled: @escaping @MainActor () -> Void) async {
        await withTaskCancellationHandler {
            if isElsewhere { await gate.waitElsewhere() } else { await gate.wait() }
        } onCancel: {
            MainActor.assumeIsolated { cancelled() }
        }
    }
}

/// Suspends one task until it is opened, once, which may be before the task arrives.
///
/// The continuation is set before its task arrives, and read by the one that arrives second. There is no lock: Thread
/// Sanitizer does not see how the kernel passes Swift's `Mutex` from one thread to another.
nonisolated final class Gate: Sendable {
    private nonisolated(unsafe) var continuation: UnsafeContinuation<Void, Never>?  // set, then read
    private let arrivals = Atomic(0)

    /// Waits on the executor of the caller's choice.
    @MainActor func wait() async { await withUnsafeContinuation { admit($0) } }

    /// Waits on the global executor.
    @concurrent func waitElsewhere() async { await withUnsafeContinuation { admit($0) } }

    func open() { arrive() }

    private func admit(_ continuation: UnsafeContinuation<Void, Never>) {
        self.continuation = continuation
        arrive()
    }

    /// Called by the task and by `open()`; the second call resumes the task.
    private func arrive() {
        if arrivals.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 1 { continuation?.resume() }
    }
}
