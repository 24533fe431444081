// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One call of one listener. It ends exactly once: with the answer or at its deadline, whichever comes first.
final class ListenerCall {
    /// Called when the call has ended.
    typealias Completion = (_ call: ListenerCall, _ outcome: ListenerOutcome, _ duration: Duration) -> Void
    private let clock: any LifecycleClock
    /// When it began.
    let start: LifecycleTime
    private var completion: Completion?
    /// Called when the task of the answer ends after the call.
    private let lateEnd: (ListenerCall) -> Void
    private var isTaskRunning = false
    private var cancel: (() -> Void)?
    private var hasAnswered = false
    private var share = TimeShare(.zero)
    /// The end of its share.
    private var deadline = MovableDeadline()
    /// The end of the time that it wants and may have. Progress does not move the deadline beyond it.
    private var lastUsec: UInt64 = 0
    /// The end of the window that the last report of progress named.
    private var promisedUsec: UInt64 = 0
    /// The details of its progress, as last reported; nil for none.
    private(set) var details: UserInfo?
    /// Why it did not succeed, as answered when it was cancelled.
    private(set) var overrunReason: String?
    /// Called with each report of progress.
    private var progress: ((ProgressReport) -> Void)?
    /// Whether somebody waits for the outcome.
    let isOutcomeWanted: Bool

    init(
        clock: any LifecycleClock, isOutcomeWanted: Bool = true, progress: ((ProgressReport) -> Void)? = nil,
        lateEnd: @escaping (ListenerCall) -> Void = { _ in }, _ completion: @escaping Completion
    ) {
        self.clock = clock
        self.isOutcomeWanted = isOutcomeWanted
        self.progress = progress
        self.lateEnd = lateEnd
        self.completion = completion
        start = clock.now
    }

    /// Begins the answer now. A timer is set only if the answer does not end before this returns.
    func begin(_ body: LifecycleAnswer.LastingBody, _ notification: LifecycleNotification, _ share: TimeShare) {
        self.share = share
        deadline.set(share.time, from: start.monotonicUsec)
        lastUsec = min(share.wanted, share.extended).end(from: start.monotonicUsec)
        switch body {
        case .suspending(let body):
            isTaskRunning = true
            let task = Task.immediate { [self] in
                do {
                    taskEnded(try await body(notification, ListenerProgress(self)))
                } catch {
                    taskEnded(ListenerOutcome(error))
                }
            }
            wait { task.cancel() }
        case .completing(let body):
            let cancel = body(notification, ListenerProgress(self)) { [self] in answered($0) }
            wait(cancel)
        }
    }

    /// Reports progress: moves the deadline to the end of `window`, up to the time that the answer wants.
    func reportProgress(nextWithin window: Duration, _ text: String?, _ details: UserInfo?) {
        guard completion != nil else { return }
        let window = window.bounded
        if let details { self.details = details }
        promisedUsec = min(window.end(from: clock.monotonicUsec), lastUsec)
        extend(window, text, details)
    }

    private func extend(_ window: Duration, _ text: String?, _ details: UserInfo?) {
        let moved = deadline.extend(to: promisedUsec)
        progress?(
            ProgressReport(
                window: window, text: text, details: details, moved: moved ? (deadline.endUsec, share.reserve) : nil))
    }

    /// Replaces its share by another one that begins now. A window named by a report of progress stays.
    func retime(_ share: TimeShare) {
        guard completion != nil else { return }
        self.share = share
        let now = clock.monotonicUsec
        deadline.set(share.time, from: now)
        lastUsec = min(share.wanted, share.extended).end(from: now)
        promisedUsec = min(promisedUsec, lastUsec)
        if promisedUsec > deadline.endUsec { extend(Duration(from: now, to: promisedUsec), nil, nil) }
        // Until the first step returns there is no timer.
        if cancel != nil { goOn() }
    }

    /// The time since it began.
    var spent: Duration { Duration(from: start.monotonicUsec, to: clock.monotonicUsec) }

    private func wait(_ cancel: @escaping () -> Void) {
        guard !hasAnswered else { return }
        // It was cut short during its first step, before `cancel` was known.
        guard completion != nil else { return cancel() }
        self.cancel = cancel
        goOn()
    }

    /// Waits for what is left of the share.
    private func goOn() {
        guard deadline.endUsec > clock.monotonicUsec else { return overrun() }
        deadline.setTimer(clock) { [weak self] in self?.goOn() }
    }

    /// Ends the call now, as at its deadline. An answer that ignores the cancellation goes on without effect; of one that is given
    /// by it only the reason is kept.
    func overrun() { finish(.overran, cancel) }

    /// Whether the call has ended, at its deadline, and the task of the answer has not.
    var isStillRunning: Bool { isTaskRunning && completion == nil }

    private func taskEnded(_ outcome: ListenerOutcome) {
        let isLate = isStillRunning
        isTaskRunning = false
        if isLate { lateEnd(self) } else { answered(outcome) }
    }

    private func answered(_ outcome: ListenerOutcome) {
        hasAnswered = true
        // With no time at all, as after a second stop, the first step is not late however long it takes.
        let wanted = Duration(from: start.monotonicUsec, to: lastUsec)
        finish(wanted > .zero ? outcome.judged(spent, deadline: wanted) : outcome)
    }

    private func finish(_ outcome: ListenerOutcome, _ cancel: (() -> Void)? = nil) {
        guard let completion else { return overrunReason = outcome.reason }
        let duration = spent
        self.completion = nil
        deadline.cancelTimer()
        self.cancel = nil
        progress = nil
        cancel?()
        completion(self, outcome, duration)
    }
}

/// Reports the progress of an answer that takes long.
///
/// An answer may take its whole deadline if the time of the transition allows it. Otherwise it has a share of that
/// time. While it reports progress, it may exceed its share, up to the deadline that it declared. The transition then
/// lasts longer, and the service manager is asked for more time. If the next report does not come within the window of
/// the last one, the answer is cancelled.
@MainActor public struct ListenerProgress {
    private let call: ListenerCall

    init(_ call: ListenerCall) { self.call = call }

    /// Whether somebody waits for the outcome: false for a post without a completion.
    package var isOutcomeWanted: Bool { call.isOutcomeWanted }

    /// Reports progress.
    ///
    /// - Parameters:
    ///   - window: the time within which the next report, or the end, will come.
    ///   - text: what was done, in a few words for `systemctl status`.
    ///   - details: the same for programs. The last ones are part of the report about the answer.
    public func report(nextWithin window: Duration = .seconds(5), _ text: String? = nil, details: UserInfo? = nil) {
        call.reportProgress(nextWithin: window, text, details)
    }
}
