// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A trigger that was accepted: it waits for its turn, or is under way.
final class Transition {
    let trigger: LifecycleTrigger
    let origin: LifecycleOrigin
    var userInfo: UserInfo
    var completions: [(TransitionReport) -> Void]
    var steps: [LifecycleStep] = []
    var reports: [LifecycleReport] = []
    var cutShortBy: LifecycleOrigin?
    /// The new configuration of a reload; nil in other transitions, and when it could not be read.
    var configuration: LifecycleConfiguration?
    /// Why the transition does not succeed.
    var reasons: [String] = []
    /// Whether it can be revoked until a listener was called. It is not merged with others.
    let isRevocable: Bool
    /// Whether a reload only checks: it ends after `willReload`, and changes nothing.
    let isDryRun: Bool
    /// Whether a stop still prepares its first step, which waits for that.
    var isPreparing = false
    /// Ends the preparation.
    var preparationTimer: (any LifecycleTimer)?
    /// Whether a stop ended it early.
    var isGivenUp = false
    /// The beginning of its time, by the monotonic clock: when it began, for a stop when it was accepted.
    var beganUsec: UInt64 = 0
    /// The limit of all answers together, by the monotonic clock.
    var limitUsec: UInt64 = .max
    /// Whether progress has moved the limit.
    var isExtended = false

    init(
        _ trigger: LifecycleTrigger, origin: LifecycleOrigin, userInfo: UserInfo, isRevocable: Bool = false,
        isDryRun: Bool = false, _ completion: ((TransitionReport) -> Void)?
    ) {
        self.trigger = trigger
        self.origin = origin
        self.userInfo = userInfo
        self.isRevocable = isRevocable
        self.isDryRun = isDryRun
        completions = completion.map { [$0] } ?? []
    }

    /// Stands for `other` as well, which asks for the same.
    func merge(_ other: Transition) {
        completions += other.completions
        userInfo["count"] = .int(count &+ other.count)
    }

    /// How many requests it stands for.
    private var count: Int64 { if case .int(let count) = userInfo["count"] { count } else { 1 } }

    /// Moves the limit to a later moment.
    func extend(to limit: UInt64) {
        isExtended = isExtended || limit > limitUsec
        limitUsec = max(limit, limitUsec)
    }

    /// The result when no step is left.
    var result: TransitionReport.Result {
        if isGivenUp { return .overtaken }
        return reasons.isEmpty ? .completed : .refused(reasons)
    }

    @discardableResult
    func finish(_ result: TransitionReport.Result) -> TransitionReport {
        let report = TransitionReport(
            trigger: trigger, origin: origin, result: result, notifications: reports, cutShortBy: cutShortBy)
        for completion in completions { completion(report) }
        return report
    }
}

/// A transition that has not ended.
public nonisolated struct PendingTransition: Sendable, Equatable {
    /// What happened.
    public let trigger: LifecycleTrigger
    /// Who caused it; the first, if requests were merged.
    public let origin: LifecycleOrigin
    /// Whether it is under way; otherwise it waits.
    public let isUnderWay: Bool
}

extension PendingTransition {
    init(_ transition: Transition, isUnderWay: Bool) {
        self.init(trigger: transition.trigger, origin: transition.origin, isUnderWay: isUnderWay)
    }
}

/// The result of a trigger.
public nonisolated struct TransitionReport: Sendable {
    /// How a transition ended.
    public enum Result: Sendable, Equatable {
        /// The service is in the state that the trigger leads to, or was in it already.
        case completed
        /// A launch or a new configuration was refused for these reasons. After a refused launch the service has
        /// terminated; after a refused configuration nothing has changed.
        case refused([String])
        /// It did not run to its end: a stop came while it waited, a stop left a launch too little time, or the machine's
        /// sleep that a pause was for was called off or came early.
        case overtaken
    }

    /// The trigger.
    public let trigger: LifecycleTrigger
    /// Who caused it; the first, if requests were merged.
    public let origin: LifecycleOrigin
    /// The result.
    public let result: Result
    /// The notifications that were delivered, in order.
    public let notifications: [LifecycleReport]
    /// Who set the deadlines to zero; nil if nobody did.
    public let cutShortBy: LifecycleOrigin?
}
