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
    /// When it began, by the monotonic clock.
    var beganUsec: UInt64 = 0
    /// When all answers together must be done, by the monotonic clock.
    var limitUsec: UInt64 = .max
    /// Whether that is later than it was at the beginning, because somebody reports progress.
    var isExtended = false

    init(
        _ trigger: LifecycleTrigger, origin: LifecycleOrigin, userInfo: UserInfo,
        _ completion: ((TransitionReport) -> Void)?
    ) {
        self.trigger = trigger
        self.origin = origin
        self.userInfo = userInfo
        completions = completion.map { [$0] } ?? []
    }

    @discardableResult
    func finish(_ result: TransitionReport.Result) -> TransitionReport {
        let report = TransitionReport(
            trigger: trigger, origin: origin, result: result, notifications: reports, cutShortBy: cutShortBy)
        for completion in completions { completion(report) }
        return report
    }
}
