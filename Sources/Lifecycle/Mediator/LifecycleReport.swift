// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What became of one notification.
public nonisolated struct LifecycleReport: Sendable {
    /// The notification.
    public let notification: LifecycleNotification
    /// What each listener made of it, in the order in which they were told.
    public let listeners: [ListenerReport]

    /// Why listeners refused, as «NAME: REASON».
    public var refusals: [String] {
        listeners.compactMap { report in
            if case .refused(let reason) = report.outcome { "\(report.listener): \(reason)" } else { nil }
        }
    }

    /// What went wrong with listeners, refusals among it, as «NAME: REASON».
    public var problems: [String] {
        listeners.compactMap { report in
            switch report.outcome {
            case .completed: nil
            case .refused(let reason), .failed(let reason): "\(report.listener): \(reason)"
            case .overran: "\(report.listener): no answer within its deadline"
            }
        }
    }
}
