// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What became of one notification.
public nonisolated struct LifecycleReport: Sendable {
    /// The notification.
    public let notification: LifecycleNotification
    /// What each listener made of it, in the order in which they were told.
    public let listeners: [ListenerReport]

    /// What all found together: new data if any did, else a failure if any failed, else nothing new.
    public var result: FetchResult {
        if listeners.contains(where: { $0.outcome == .fetched(.newData) }) { return .newData }
        return listeners.contains { $0.outcome.isProblem && $0.outcome != .late } ? .failed : .noData
    }

    /// The first listener that did what it was asked for: opened the URL, performed the action.
    public var handledBy: String? { listeners.first { $0.outcome == .handled }?.listener }

    /// Whether a listener gave no answer in its time.
    var hasOverrun: Bool { listeners.contains { $0.outcome == .overran } }

    /// Why listeners refused, as «NAME: REASON».
    public var refusals: [String] {
        listeners.compactMap { report in
            if case .refused(let reason) = report.outcome { "\(report.listener): \(reason)" } else { nil }
        }
    }

    /// What went wrong with listeners, refusals among it, as «NAME: REASON». One that finished late did what it should.
    public var problems: [String] {
        listeners.compactMap { report in
            switch report.outcome {
            case .completed, .late, .handled, .declined, .fetched(.newData), .fetched(.noData): nil
            case .refused(let reason), .failed(let reason): "\(report.listener): \(reason)"
            case .fetched(.failed): "\(report.listener): failed"
            case .overran: "\(report.listener): no answer within its deadline"
            }
        }
    }
}

/// What one listener made of one notification.
public nonisolated struct ListenerReport: Sendable, Equatable {
    /// The listener's name.
    public let listener: String
    /// How its answer ended.
    public let outcome: ListenerOutcome
    /// When it was called, by the monotonic clock, in microseconds.
    public let startUsec: UInt64
    /// How long it took, until its end or its deadline.
    public let duration: Duration
}

nonisolated extension LifecycleReport {
    /// What all listeners made of it, as if they were one.
    var combinedOutcome: ListenerOutcome {
        let outcomes = listeners.map(\.outcome)
        let problems = problems.joined(separator: "; ")
        if !refusals.isEmpty { return .refused(problems) }
        if outcomes.contains(.handled) { return .handled }
        if outcomes.contains(.fetched(.newData)) { return .fetched(.newData) }
        if !problems.isEmpty { return .failed(problems) }
        if outcomes.contains(.fetched(.noData)) { return .fetched(.noData) }
        return outcomes.contains(.declined) ? .declined : .completed
    }
}
