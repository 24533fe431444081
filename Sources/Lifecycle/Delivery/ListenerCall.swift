// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One call of one listener. It ends exactly once: when the answer does, or when its time is up, whichever comes first.
final class ListenerCall {
    /// What becomes of the call.
    typealias Completion = (_ call: ListenerCall, _ outcome: ListenerOutcome, _ duration: Duration) -> Void
    private let clock: any LifecycleClock
    /// When it began.
    let start: LifecycleTime
    private var completion: Completion?
    private var cancel: (() -> Void)?
    private var hasAnswered = false
    private var share = TimeShare(.zero)
    /// The end of its share.
    private var deadline = MovableDeadline()
    /// The end of the time that it wants, beyond which nothing moves its deadline.
    private var lastUsec: UInt64 = 0
    /// When it will have reported again, or be done, by its last report of progress.
    private var promisedUsec: UInt64 = 0
    /// Called with each report of progress.
    var onProgress: ((ProgressReport) -> Void)?
    /// Whether somebody waits for the outcome.
    let isOutcomeWanted: Bool

    init(clock: any LifecycleClock, isOutcomeWanted: Bool = true, _ completion: @escaping Completion) {
        self.clock = clock
        self.isOutcomeWanted = isOutcomeWanted
        self.completion = completion
        start = clock.now
    }

    /// Begins the answer in this very turn; only an answer that does not end in it costs a timer.
    func begin(_ body: LifecycleAnswer.LastingBody, _ notification: LifecycleNotification, _ share: TimeShare) {
        self.share = share
        deadline.set(share.time, from: start.monotonicUsec)
        lastUsec = share.wanted.end(from: start.monotonicUsec)
        switch body {
        case .suspending(let body):
            let task = Task.immediate { [self] in
                do {
                    answered(try await body(notification, ListenerProgress(self)))
                } catch {
                    answered(ListenerOutcome(error))
                }
            }
            wait { task.cancel() }
        case .completing(let body):
            let cancel = body(notification, ListenerProgress(self)) { [self] in answered($0) }
            wait(cancel)
        }
    }

    /// The answer gets on: its time is up no sooner than after `window`, as far as its deadline allows.
    func progress(nextWithin window: Duration, _ text: String?) {
        guard completion != nil else { return }
        let window = window.bounded
        promisedUsec = min(window.end(from: clock.monotonicUsec), lastUsec)
        extend(window, text)
    }

    private func extend(_ window: Duration, _ text: String?) {
        let moved = deadline.extend(to: promisedUsec)
        onProgress?(
            ProgressReport(window: window, text: text, moved: moved ? (deadline.endUsec, share.reserve) : nil))
    }

    /// Replaces its share by another one that begins now. A window that it promised stays.
    func retime(_ share: TimeShare) {
        guard completion != nil else { return }
        self.share = share
        let now = clock.monotonicUsec
        deadline.set(share.time, from: now)
        if promisedUsec > deadline.endUsec { extend(Duration(from: now, to: promisedUsec), nil) }
        // In its first step it has no timer yet.
        guard cancel != nil else { return }
        if deadline.endUsec > now { setTimer(.microseconds(deadline.endUsec - now)) } else { overrun() }
    }

    /// How long it has gone on.
    var spent: Duration { Duration(from: start.monotonicUsec, to: clock.monotonicUsec) }

    private func wait(_ cancel: @escaping () -> Void) {
        guard !hasAnswered else { return }
        // Cut short while its first step was running: nobody knew yet what cancels it.
        guard completion != nil else { return cancel() }
        self.cancel = cancel
        if share.time <= .zero, !deadline.wasExtended { overrun() } else { setTimer(share.time) }
    }

    private func setTimer(_ delay: Duration) {
        deadline.setTimer(after: delay, clock) { [weak self] in self?.timerFired() }
    }

    private func timerFired() {
        if let rest = deadline.rest(at: clock.monotonicUsec) { setTimer(rest) } else { overrun() }
    }

    /// Ends the call now, as when its time is up. An answer that ignores the cancellation goes on, and nobody waits for
    /// it.
    func overrun() {
        cancel?()
        finish(.overran)
    }

    private func answered(_ outcome: ListenerOutcome) {
        hasAnswered = true
        // Without a deadline, as after a second stop, the first step takes what it takes.
        let wanted = Duration(from: start.monotonicUsec, to: lastUsec)
        finish(wanted > .zero ? outcome.judged(spent, deadline: wanted) : outcome)
    }

    private func finish(_ outcome: ListenerOutcome) {
        guard let completion else { return }
        self.completion = nil
        deadline.cancelTimer()
        cancel = nil
        onProgress = nil
        completion(self, outcome, spent)
    }
}

/// Where an answer that takes long says that it gets on.
///
/// An answer may take its whole deadline when the time for all allows it; otherwise it has a share of that time. One
/// that reports progress may go beyond its share, up to the deadline it declared: the transition then lasts longer, and
/// the service manager is asked for the time. When reports cease, so does the patience.
public struct ListenerProgress {
    private let call: ListenerCall

    init(_ call: ListenerCall) { self.call = call }

    /// Whether anybody wants to know what comes of the answer; nobody does of a post that is not waited for.
    package var isOutcomeWanted: Bool { call.isOutcomeWanted }

    /// Says that the work gets on.
    ///
    /// - Parameters:
    ///   - window: within which time the next report, or the end, will come.
    ///   - text: what has been done, in a few words for `systemctl status`.
    public func report(nextWithin window: Duration = .seconds(5), _ text: String? = nil) {
        call.progress(nextWithin: window, text)
    }
}
