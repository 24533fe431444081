// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One call of one listener. It ends exactly once: when the answer does, or at its deadline, whichever comes first.
final class ListenerCall {
    /// What becomes of the call.
    typealias Completion = (_ call: ListenerCall, _ outcome: ListenerOutcome, _ duration: Duration) -> Void

    private let clock: any LifecycleClock
    private let start: LifecycleTime
    private var completion: Completion?
    private var cancel: (() -> Void)?
    private var timer: (any LifecycleTimer)?
    private var hasAnswered = false

    init(clock: any LifecycleClock, _ completion: @escaping Completion) {
        self.clock = clock
        self.completion = completion
        start = clock.now
    }

    /// Begins the answer in this very turn; only an answer that suspends costs a timer.
    func begin(_ answer: LifecycleAnswer, _ notification: LifecycleNotification, deadline: Duration) {
        switch answer.body {
        case .immediate(let body):
            do {
                answered(try body(notification))
            } catch {
                answered(ListenerOutcome(error))
            }
        case .suspending(let body):
            let task = Task.immediate { [self] in
                do {
                    answered(try await body(notification))
                } catch {
                    answered(ListenerOutcome(error))
                }
            }
            wait(until: deadline) { task.cancel() }
        case .completing(let body):
            let cancel = body(notification) { [self] in answered($0) }
            wait(until: deadline, cancel)
        }
    }

    private func wait(until deadline: Duration, _ cancel: @escaping () -> Void) {
        guard !hasAnswered else { return }
        // Cut short while its first step was running: nobody knew yet what cancels it.
        guard completion != nil else { return cancel() }
        self.cancel = cancel
        if deadline <= .zero {
            overrun()
        } else {
            timer = clock.schedule(after: deadline) { [weak self] in self?.overrun() }
        }
    }

    /// Ends the call now, as at its deadline. An answer that ignores the cancellation goes on, and nobody waits for it.
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
        completion(self, outcome, .microseconds(clock.now.monotonicUsec - start.monotonicUsec))
    }
}
