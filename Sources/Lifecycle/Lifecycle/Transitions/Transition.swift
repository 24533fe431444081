// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A trigger that was accepted: it waits for its turn, or is under way.
final class Transition {
    /// What distinguishes it from others with its trigger. Only requests of the same kind may be merged.
    enum Kind: Equatable {
        case standard
        /// A reload that only checks: it ends after `willReload`, and changes nothing.
        case dryRun
        /// Its turn comes before that of others that wait.
        case next
        /// A pause before a sleep of the machine, which waits for background tasks no longer than this.
        case sleep(wait: Duration)
    }

    let trigger: LifecycleTrigger
    let kind: Kind
    let origin: LifecycleOrigin
    var userInfo: UserInfo
    /// Who asked for it.
    private(set) var requests: [TransitionRequest]
    var steps: [LifecycleStep] = []
    var reports: [LifecycleReport] = []
    var cutShortBy: LifecycleOrigin?
    /// The new configuration of a reload; nil in other transitions, and when it could not be read.
    var configuration: LifecycleConfiguration?
    /// The result when no step is left.
    var result = TransitionReport.Result.completed
    /// What a stop has still to wait for.
    var preparations: [StopPreparation] = []
    /// The beginning of its time, by the monotonic clock: when it began, for a stop when it was accepted, later by as
    /// long as it has waited for its turn.
    var beganUsec: UInt64 = 0
    /// The limit of all answers together, by the monotonic clock.
    var limitUsec: UInt64 = .max
    /// Whether progress has moved the limit.
    var isExtended = false

    init(
        _ trigger: LifecycleTrigger, _ kind: Kind = .standard, origin: LifecycleOrigin, userInfo: UserInfo,
        _ request: TransitionRequest
    ) {
        self.trigger = trigger
        self.kind = kind
        self.origin = origin
        self.userInfo = userInfo
        requests = [request]
    }

    /// Whether it is a pause before a sleep of the machine.
    var isForSleep: Bool { if case .sleep = kind { true } else { false } }

    /// Why it does not succeed.
    var reasons: [String] {
        get { if case .refused(let all) = result { all } else if case .failed(let all) = result { all } else { [] } }
        set { result = newValue.isEmpty ? .completed : .refused(newValue) }
    }

    /// Stands for `other` as well, which asks for the same.
    func merge(_ other: Transition) {
        add(other.requests)
        count = count &+ other.count
    }

    /// Reports its end to these requests too.
    func add(_ others: [TransitionRequest]) { requests += others }

    /// Stands for this request no longer.
    func remove(_ request: TransitionRequest) {
        requests.removeAll { $0 === request }
        count -= 1
    }

    /// How many requests it stands for.
    private var count: Int64 {
        get { if case .int(let count) = userInfo["count"] { count } else { 1 } }
        set { userInfo["count"] = newValue > 1 ? .int(newValue) : nil }
    }

    /// Moves the limit to a later moment.
    func extend(to limit: UInt64) {
        isExtended = isExtended || limit > limitUsec
        limitUsec = max(limit, limitUsec)
    }

    @discardableResult
    func finish(_ result: TransitionReport.Result) -> TransitionReport {
        let report = TransitionReport(
            trigger: trigger, origin: origin, result: result, notifications: reports, cutShortBy: cutShortBy,
            isForSleep: isForSleep, reason: userInfo.text("reason"))
        for request in requests { request.completion?(report) }
        return report
    }
}

/// A request for a transition. Requests for the same transition may be merged.
package final class TransitionRequest {
    fileprivate let completion: ((TransitionReport) -> Void)?

    init(_ completion: ((TransitionReport) -> Void)?) { self.completion = completion }
}

/// A transition that has not ended.
public nonisolated struct PendingTransition: Sendable, Equatable {
    /// What happened.
    public let trigger: LifecycleTrigger
    /// Who caused it; the first, if requests were merged.
    public let origin: LifecycleOrigin
    /// Whether it is under way; otherwise it waits.
    public let isUnderWay: Bool
    /// Whether it is a reload that only checks (`LifecycleMediator.checkReload`).
    public let isDryRun: Bool
    /// When it began, for a stop when it was accepted: the time since boot (`CLOCK_MONOTONIC`); nil for any other that
    /// waits.
    public let began: Duration?
}

extension PendingTransition {
    init(_ transition: Transition, isUnderWay: Bool) {
        self.init(
            trigger: transition.trigger, origin: transition.origin, isUnderWay: isUnderWay,
            isDryRun: transition.kind == .dryRun,
            began: isUnderWay || transition.trigger == .stop ? .microseconds(transition.beganUsec) : nil)
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
        /// A new configuration was accepted, but listeners failed or were late at `didReload`. The mediator has the old
        /// one again, which `didFailToReload` carried; whether such a listener has the new one is not known.
        case failed([String])
        /// It did not run to its end: a stop came while it waited for its turn or, as a pause, for background tasks, or
        /// a stop left a launch too little time.
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
    /// Whether it was the pause for a sleep of the machine.
    package let isForSleep: Bool
    /// Why it was asked for: `reason` of its user info.
    package let reason: String?
}
