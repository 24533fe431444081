// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// What can be asked of a mediator after each step.
nonisolated struct ScenarioState: Equatable, Sendable {
    /// What is known of a listener.
    struct Listener: Equatable, Sendable {
        let name: String
        let calls: Int
        let failures: Int
        let lastOutcome: ListenerOutcome?
    }

    let state: LifecycleState
    let lastSequence: UInt64
    let remainingTime: Duration?
    let pendingTimers: Int
    let listeners: [Listener]
    let actions: [String]
    let configuration: Int?
}
