// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A listener's answer that is given at once, so that nobody waits for it and it needs no timer.
struct PromptAnswer {
    let entry: ListenerEntry
    let body: (LifecycleNotification) throws -> ListenerOutcome

    /// Tells the listener, and answers what it made of it; nil when it was removed meanwhile.
    func give(
        _ notification: LifecycleNotification, _ clock: any LifecycleClock, deadline: Duration
    ) -> ListenerReport? {
        guard !entry.isGone else { return nil }
        let startUsec = clock.monotonicUsec
        let outcome = Self.outcome(of: body, notification)
        let duration = Duration(from: startUsec, to: clock.monotonicUsec)
        return entry.note(outcome.judged(duration, deadline: deadline), after: duration, since: startUsec)
    }

    /// What a listener makes of a notification.
    static func outcome(
        of body: (LifecycleNotification) throws -> ListenerOutcome, _ notification: LifecycleNotification
    ) -> ListenerOutcome {
        do {
            return try body(notification)
        } catch {
            return ListenerOutcome(error)
        }
    }
}
