// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A trigger that was accepted, waiting for its turn or under way.
final class Transition {
    let trigger: LifecycleTrigger
    let origin: LifecycleOrigin
    var userInfo: UserInfo
    var completions: [(TransitionReport) -> Void]
    var steps: [LifecycleStep] = []
    var reports: [LifecycleReport] = []
    var cutShortBy: LifecycleOrigin?
    /// What a reload brings; nil in any other transition, and when it could not be read.
    var configuration: LifecycleConfiguration?
    /// Why the transition does not succeed.
    var reasons: [String] = []
    /// Whether it can be taken back until it has told anybody. It is merged with no other, and its report is of what was
    /// done for it alone.
    let isRevocable: Bool
    /// Whether a stop came first, so that it leads nowhere any more.
    var isGivenUp = false
    /// Since when it uses up its time, by the monotonic clock: since it began, and a stop since it was accepted.
    var beganUsec: UInt64 = 0
    /// When all answers together must be done, by the monotonic clock.
    var limitUsec: UInt64 = .max
    /// Whether that is later than it was at the beginning, because somebody reports progress.
    var isExtended = false

    init(
        _ trigger: LifecycleTrigger, origin: LifecycleOrigin, userInfo: UserInfo, isRevocable: Bool = false,
        _ completion: ((TransitionReport) -> Void)?
    ) {
        self.trigger = trigger
        self.origin = origin
        self.userInfo = userInfo
        self.isRevocable = isRevocable
        completions = completion.map { [$0] } ?? []
    }

    /// Does for `other` as well, which asks for the same.
    func merge(_ other: Transition) {
        completions += other.completions
        userInfo["count"] = .int(count &+ other.count)
    }

    /// How many requests it stands for.
    private var count: Int64 { if case .int(let count) = userInfo["count"] { count } else { 1 } }

    /// It has until then, if that is later than it was.
    func extend(to limit: UInt64) {
        isExtended = isExtended || limit > limitUsec
        limitUsec = max(limit, limitUsec)
    }

    /// How it ends when nothing is left to do.
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

/// What became of a trigger.
public nonisolated struct TransitionReport: Sendable {
    /// How a transition ended.
    public enum Result: Sendable, Equatable {
        /// The service is where the trigger leads, or was there already.
        case completed
        /// A launch or a new configuration was refused, for these reasons, and the service is where it was before;
        /// after a refused launch it has terminated.
        case refused([String])
        /// A stop came first, or the sleep of the machine that it was for, and what the trigger asked for is no longer
        /// done: it waited, or was a launch that would have needed more time than the stop left it.
        case overtaken
    }

    /// What was asked.
    public let trigger: LifecycleTrigger
    /// Who asked. Where requests were merged, the first.
    public let origin: LifecycleOrigin
    /// How it ended.
    public let result: Result
    /// The notifications that were delivered, in order.
    public let notifications: [LifecycleReport]
    /// Who cut the deadlines to zero, if anybody did.
    public let cutShortBy: LifecycleOrigin?
}
