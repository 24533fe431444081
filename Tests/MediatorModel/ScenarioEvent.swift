// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// What a scenario shows from outside. The mediator and the reference model must show the same, in the same order.
nonisolated enum ScenarioEvent: Equatable, Sendable {
    /// What became of one listener.
    struct Answered: Equatable, Sendable {
        let listener: String
        let outcome: ListenerOutcome
        let duration: Duration
    }

    case observed(
        Int, UInt64, LifecycleNotification.Name, from: LifecycleState, to: LifecycleState, in: LifecycleState,
        count: Int?)
    /// The number is 0 where the answer is not given the notification.
    case told(Int, call: Int, UInt64, LifecycleNotification.Name, configuration: Int?)
    case cancelled(Int, call: Int)
    case reported(UInt64, [Answered])
    case answered(id: Int, UInt64, FetchResult, handledBy: String?, [Answered])
    case ended(
        id: Int, LifecycleTrigger, TransitionReport.Result, notifications: [UInt64], isCutShort: Bool)
    case transition(LifecycleTrigger, TransitionReport.Result)
    case expired(Int)
    case notAdded(Int)
}
