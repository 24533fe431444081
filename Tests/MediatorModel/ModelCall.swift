// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting

/// A call of a listener as the model knows it.
final class ModelCall {
    let listener: ModelListener
    let number: Int
    let start: UInt64
    let wanted: Duration
    var time: Duration
    var outcome: ListenerOutcome?
    var duration = Duration.zero
    var timer: (any LifecycleTimer)?
    /// Ends it.
    var resumed: ((ListenerOutcome) -> Void)?
    /// Set for one that hangs.
    var hang: (isStubborn: Bool, after: [Scenario.Step], name: LifecycleNotification.Name, isCompleting: Bool)?

    init(_ listener: ModelListener, number: Int, start: UInt64, wanted: Duration, time: Duration) {
        self.listener = listener
        self.number = number
        self.start = start
        self.wanted = wanted
        self.time = time
    }

    static func outcome(_ end: Scenario.End, of name: LifecycleNotification.Name) -> ListenerOutcome {
        switch end {
        case .throwing: .failed("oops")
        case .refusing: .refused("no")
        case .returning(let value): outcome(value, of: name)
        case .hanging: outcome(1, of: name)
        }
    }

    private static func outcome(_ value: Int, of name: LifecycleNotification.Name) -> ListenerOutcome {
        switch name {
        case .performFetch: .fetched([.newData, .noData, .failed][value])
        case .openURL: value == 0 ? .handled : .declined
        case .performAction: .handled
        default: .completed
        }
    }
}
