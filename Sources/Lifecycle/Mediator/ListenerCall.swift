// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One call of one listener. It ends exactly once: when the answer does, or when its time is up, whichever comes first.
final class ListenerCall {
    /// What becomes of the call.
    typealias Completion = (_ call: ListenerCall, _ outcome: ListenerOutcome, _ duration: Duration) -> Void
    /// What is told while it goes on. `until` is when its time is up now, if that has just moved.
    typealias Progress = (_ window: Duration, _ text: String?, _ until: UInt64?) -> Void

    private let clock: any LifecycleClock
    /// When it began.
    let start: LifecycleTime
    private var completion: Completion?
    private var cancel: (() -> Void)?
    private var timer: (any LifecycleTimer)?
    private var hasAnswered = false
    private var share = TimeShare(.zero)
    private var endUsec: UInt64 = 0
    private var hasMoved = false
    /// Hears of progress.
    var onProgress: Progress?

    init(clock: any LifecycleClock, _ completion: @escaping Completion) {
        self.clock = clock
        self.completion = completion
        start = clock.now
    }

    /// Begins the answer in this very turn; only an answer that does not end in it costs a timer.
    func begin(_ body: LifecycleAnswer.LastingBody, _ notification: LifecycleNotification, _ share: TimeShare) {
        self.share = share
        endUsec = end(after: share.time, from: start)
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
        let until = min(end(after: window, from: clock.now), end(after: share.wanted, from: start))
        let moves = until > endUsec
        if moves {
            endUsec = until
            hasMoved = true
        }
        onProgress?(window, text, moves ? until : nil)
    }

    /// The time for all is another now, and so is the share, from now on.
    func retime(_ share: TimeShare) {
        guard cancel != nil, completion != nil else { return }
        endUsec = end(after: share.time, from: clock.now)
        timer?.cancel()
        if share.time > .zero { setTimer(share.time) } else { overrun() }
    }

    /// How long it has gone on.
    var spent: Duration { .microseconds(clock.monotonicUsec - start.monotonicUsec) }

    private func wait(_ cancel: @escaping () -> Void) {
        guard !hasAnswered else { return }
        // Cut short while its first step was running: nobody knew yet what cancels it.
        guard completion != nil else { return cancel() }
        self.cancel = cancel
        if share.time <= .zero, !hasMoved { overrun() } else { setTimer(share.time) }
    }

    private func setTimer(_ delay: Duration) {
        timer = clock.schedule(after: delay) { [weak self] in self?.timeIsUp() }
    }

    private func timeIsUp() {
        let now = clock.monotonicUsec
        guard hasMoved, endUsec > now else { return overrun() }
        hasMoved = false
        setTimer(.microseconds(endUsec - now))
    }

    /// Ends the call now, as when its time is up. An answer that ignores the cancellation goes on, and nobody waits for
    /// it.
    func overrun() {
        cancel?()
        finish(.overran)
    }

    private func answered(_ outcome: ListenerOutcome) {
        hasAnswered = true
        finish(outcome)
    }

    private func finish(_ outcome: ListenerOutcome) {
        guard let completion else { return }
        self.completion = nil
        timer?.cancel()
        timer = nil
        cancel = nil
        onProgress = nil
        completion(self, outcome, .microseconds(clock.monotonicUsec - start.monotonicUsec))
    }

    private func end(after duration: Duration, from time: LifecycleTime) -> UInt64 {
        time.monotonicUsec &+ duration.wholeMicroseconds
    }
}
