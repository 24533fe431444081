// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The result of delivering one notification.
public nonisolated struct LifecycleReport: Sendable {
    /// The notification.
    public let notification: LifecycleNotification
    /// One report for each listener, in the order of the calls.
    public let listeners: [ListenerReport]
    /// Whether at least one of the answers had a deadline: it may have gone on after its call.
    var hasLastingAnswer = false
    /// Whether at least one of the answers had a deadline, failed, was late or says what was done.
    package var isNotable: Bool { hasLastingAnswer || listeners.contains(where: \.isNotable) }

    /// The combined fetch result: new data if any listener found new data, otherwise a failure if any failed, otherwise
    /// no data.
    public var result: FetchResult {
        if listeners.contains(where: { $0.outcome == .fetched(.newData) }) { return .newData }
        return listeners.contains { $0.outcome.isProblem && $0.outcome != .late } ? .failed : .noData
    }

    /// The listener that opened the URL or performed the action; nil if none did.
    public var handledBy: String? { listeners.first { $0.outcome == .handled }?.listener }

    /// Whether a listener did not answer in time.
    var hasOverrun: Bool { listeners.contains { $0.outcome == .overran } }

    /// The refusals, as «NAME: REASON».
    public var refusals: [String] {
        listeners.compactMap { report in
            if case .refused(let reason) = report.outcome { "\(report.listener): \(reason)" } else { nil }
        }
    }

    /// Refusals, failures and missing answers, as «NAME: REASON». A late answer is none of these.
    public var problems: [String] { listeners.filter { $0.outcome != .late }.compactMap(\.problem) }

    /// Why a launch fails, as «NAME: REASON»: refusals, and failures and missed deadlines of required listeners.
    var launchProblems: [String] {
        listeners.compactMap { report in
            if case .refused = report.outcome { return report.problem }
            return report.isRequired ? report.problem : nil
        }
    }
}

/// The result of one call of a listener.
public nonisolated struct ListenerReport: Sendable, Equatable {
    /// The listener's name.
    public let listener: String
    /// How its answer ended.
    public let outcome: ListenerOutcome
    /// When it was called: the time since boot (`CLOCK_MONOTONIC`).
    public let start: Duration
    /// The time until its end or its deadline.
    public let duration: Duration
    /// What the listener did; nil if it had nothing to say.
    public let work: WorkSummary?
    /// What it answered when it was cancelled at its deadline, such as which leaf of a composite hangs; nil for
    /// nothing.
    package let overrunReason: String?
    /// Whether a launch needs the listener (`LifecycleListener.isRequired`).
    let isRequired: Bool

    /// Whether the listener failed, refused, was late or says what it did.
    package var isNotable: Bool { outcome.isProblem || work != nil }

    /// A refusal, failure or missed deadline, as «NAME: REASON»; nil for any other outcome.
    package var problem: String? {
        switch outcome {
        case .completed, .handled, .declined, .fetched(.newData), .fetched(.noData): nil
        case .refused(let reason), .failed(let reason): "\(listener): \(reason)"
        case .fetched(.failed): "\(listener): failed"
        case .overran: "\(listener): \(overrunReason ?? "no answer within its deadline")"
        case .late: "\(listener): answered after its deadline"
        }
    }
}

nonisolated extension LifecycleReport {
    /// The outcome of all listeners taken for one.
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

    /// What all listeners did, as «NAME: TEXT», and for programs by their names; nil if none says anything.
    var combinedWork: WorkSummary? {
        var (texts, details): ([String], UserInfo) = ([], [:])
        for listener in listeners {
            guard let work = listener.work else { continue }
            texts.append("\(listener.listener): \(work.text)")
            details[listener.listener] = work.details.map { .object($0) }
        }
        if texts.isEmpty { return nil }
        return WorkSummary(texts.joined(separator: "; "), details: details.isEmpty ? nil : details)
    }
}
