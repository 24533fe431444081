// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Tells listeners of one notification, one after the other.
///
/// It is driven by the end of each call and not by a task that waits, so that a notification whose listeners answer at
/// once is delivered without leaving the turn it was posted in.
final class Delivery {
    private let notification: LifecycleNotification
    private let entries: [ListenerEntry]
    private let clock: any LifecycleClock
    private let deadline: (LifecycleAnswer) -> Duration
    private var completion: ((LifecycleReport) -> Void)?
    private var reports: [ListenerReport] = []
    private var next = 0
    private var call: ListenerCall?
    private var isAdvancing = false
    private var isCutShort = false

    init(
        _ notification: LifecycleNotification, to entries: [ListenerEntry], clock: any LifecycleClock,
        deadline: @escaping (LifecycleAnswer) -> Duration, _ completion: @escaping (LifecycleReport) -> Void
    ) {
        self.notification = notification
        self.entries = entries
        self.clock = clock
        self.deadline = deadline
        self.completion = completion
    }

    /// Tells as many listeners as answer at once; the rest follows by itself.
    func advance() {
        guard !isAdvancing else { return }
        isAdvancing = true
        while call == nil, next < entries.count {
            let entry = entries[next]
            next += 1
            if let answer = entry.answer(to: notification.name), !entry.isGone { tell(entry, answer) }
        }
        isAdvancing = false
        guard call == nil, let completion else { return }
        self.completion = nil
        completion(LifecycleReport(notification: notification, listeners: reports))
    }

    /// Waits for nobody any more: the call under way overruns, and those to come have no time beyond their first step.
    func cutShort() {
        isCutShort = true
        call?.overrun()
    }

    private func tell(_ entry: ListenerEntry, _ answer: LifecycleAnswer) {
        let call = ListenerCall(clock: clock) { [self] outcome, duration in
            reports.append(entry.note(outcome, after: duration))
            self.call = nil
            advance()
        }
        self.call = call
        call.begin(answer, notification, deadline: isCutShort ? .zero : deadline(answer))
    }
}
