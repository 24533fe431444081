// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// One random sequence: who takes part, how they behave, and what happens to them. Made from its seed alone.
package nonisolated struct Scenario: Sendable {
    /// How an answer, or a call of it that hangs, ends.
    enum End: Sendable {
        /// It returns; for a notification with results, the value picks one.
        case returning(Int)
        /// It throws an error.
        case throwing
        /// It throws a refusal.
        case refusing
        /// It waits for a `resume`, heedless of cancellation if `stubborn`, off the main actor if `elsewhere`.
        case hanging(stubborn: Bool, elsewhere: Bool)
    }

    /// What a listener does in one call: `before` it ends or hangs, and `after` it was resumed.
    struct Behaviour: Sendable {
        var before: [Step] = []
        var end = End.returning(1)
        var after: [Step] = []
    }

    /// The three ways to declare an answer.
    enum Kind: Sendable { case immediate, suspending, completing }

    /// An answer as it is declared.
    struct Answer: Sendable {
        let name: LifecycleNotification.Name
        let kind: Kind
        let deadline: Duration?
        let action: String
    }

    /// A listener. `answers` are two declarations, of which `update` chooses the other one.
    struct Listener: Sendable {
        let name: String
        let rank: Int?
        let follows: [String]
        let isPrimary: Bool
        let answers: [[Answer]]
        let behaviours: [Behaviour]

        func behaviour(_ call: Int) -> Behaviour { call < behaviours.count ? behaviours[call] : Behaviour() }
    }

    /// An observer, and what it does in each call.
    struct Observer: Sendable {
        let name: LifecycleNotification.Name?
        let reactions: [[Step]]
    }

    /// Something that happens, at the top or inside an answer, an observer, a completion or an expiration.
    indirect enum Step: Sendable {
        case perform(LifecycleTrigger, id: Int, count: Int?, then: [Step])
        case post(LifecycleNotification.Name, action: String, id: Int?, then: [Step])
        case advance(Duration)
        case resume(Int, End)
        case add(Int)
        case remove(Int)
        case update(Int)
        case observe(Int)
        case ignore(Int)
        case beginTask(Int, Duration, expiration: [Step])
        case endTask(Int)
        case dropTask(Int)
    }

    let seed: UInt64
    let deadlines: LifecycleDeadlines
    let hasReportObserver: Bool
    /// Whether the configuration can be read, reload after reload.
    let reloads: [Bool]
    let listeners: [Listener]
    let observers: [Observer]
    let steps: [Step]
}

nonisolated extension Scenario.End {
    /// What it returns. One that cannot hang returns as if it had been resumed.
    func value() throws -> Int {
        switch self {
        case .returning(let value): return value
        case .throwing: throw ScenarioError.oops
        case .refusing: throw LifecycleRefusal("no")
        case .hanging: return 1
        }
    }
}
