// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One call of one listener. It ends exactly once: with the answer or at its deadline, whichever comes first.
final class ListenerCall {
    /// Called when the call has ended.
    typealias Completion = (_ call: ListenerCall, _ end: AnswerEnd, _ duration: Duration) -> Void

    private enum State {
        /// Until the first step of the answer returns, nothing can cancel it.
        case open(Completion, cancel: (() -> Void)?)
        case answered
        /// Its time was up, and no answer has come since.
        case overran
    }

    private let clock: any LifecycleClock
    /// When it began.
    let start: LifecycleTime
    private var state: State
    /// Called when the task of the answer ends after the call.
    private let lateEnd: (ListenerCall) -> Void
    private var hasTask = false
    /// The end of its share.
    private var deadline = MovableDeadline()
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
        state = .open(completion, cancel: nil)
        start = clock.now
    }

    /// Begins the answer now. A timer is set only if the answer does not end before this returns.
    func begin(_ body: LifecycleAnswer.LastingBody, _ notification: LifecycleNotification, _ share: TimeShare) {
        deadline.set(share, from: start.monotonicUsec)
        let cancel: () -> Void
        switch body {
        case .suspending(let body):
            hasTask = true
            let task = Task.immediate { [self] in
                do {
                    taskEnded(try await body(notification, ListenerProgress(self)))
                } catch {
                    taskEnded(AnswerEnd(error))
                }
            }
            cancel = { task.cancel() }
        case .completing(let body): cancel = body(notification, ListenerProgress(self)) { [self] in answered($0) }
        }
        switch state {
        case .open(let completion, _):
            state = .open(completion, cancel: cancel)
            goOn()
        case .answered: break
        // It was cut short during its first step.
        case .overran: cancel()
        }
    }

    /// Reports progress: moves the deadline to the end of `window`, up to the time that the answer wants.
    func reportProgress(nextWithin window: Duration, _ text: String?, _ details: UserInfo?) {
        guard case .open = state else { return }
        let window = window.bounded
        let moved = deadline.extend(to: window.end(from: clock.monotonicUsec))
        progress?(ProgressReport(window: window, text: text, details: details, moved: moved))
    }

    /// Replaces its share by another one that begins now. A window named by a report of progress stays.
    func retime(_ share: TimeShare) {
        guard case .open = state else { return }
        let now = clock.monotonicUsec
        deadline.set(share, from: now)
        if let moved = deadline.extend() {
            progress?(ProgressReport(window: Duration(from: now, to: moved.endUsec), text: nil, moved: moved))
        }
        goOn()
    }

    /// The time until the end of its share.
    var timeLeft: Duration { Duration(from: clock.monotonicUsec, to: deadline.endUsec) }

    /// The time since it began.
    var spent: Duration { Duration(from: start.monotonicUsec, to: clock.monotonicUsec) }

    /// Waits for what is left of the share.
    private func goOn() {
        // Until the first step returns there is no timer.
        guard case .open(_, .some) = state else { return }
        guard deadline.endUsec > clock.monotonicUsec else { return overrun() }
        deadline.setTimer(clock) { [weak self] in self?.goOn() }
    }

    /// Ends the call now, as at its deadline. An answer that ignores the cancellation goes on without effect; of one
    /// that is given by it only the reason is kept.
    func overrun() { end(.overran, AnswerEnd(.overran)) }

    /// Whether the call has ended, at its deadline, and the task of the answer has not.
    var isStillRunning: Bool { if case .overran = state { hasTask } else { false } }

    private func taskEnded(_ end: AnswerEnd) {
        guard isStillRunning else { return answered(end) }
        state = .answered
        lateEnd(self)
    }

    private func answered(_ answer: AnswerEnd) {
        guard case .open = state else {
            // Its time was up before: only the reason of the answer counts.
            overrunReason = answer.outcome.reason
            return state = .answered
        }
        // With no time at all, as after a second stop, the first step is not late however long it takes.
        let wanted = Duration(from: start.monotonicUsec, to: deadline.lastUsec)
        let judged = wanted > .zero ? answer.outcome.judged(spent, deadline: wanted) : answer.outcome
        end(.answered, AnswerEnd(judged, answer.work))
    }

    private func end(_ end: State, _ answer: AnswerEnd) {
        guard case .open(let completion, let cancel) = state else { return }
        let duration = spent
        state = end
        deadline.cancelTimer()
        progress = nil
        if case .overran = end { cancel?() }
        completion(self, answer, duration)
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

    /// The time until the answer is cancelled, if it reports no progress.
    package var timeLeft: Duration { call.timeLeft }

    /// Reports progress.
    ///
    /// - Parameters:
    ///   - window: the time within which the next report, or the end, will come.
    ///   - text: what was done, in a few words for `systemctl status`.
    ///   - details: the same for programs.
    public func report(nextWithin window: Duration = .seconds(5), _ text: String? = nil, details: UserInfo? = nil) {
        call.reportProgress(nextWithin: window, text, details)
    }
}
