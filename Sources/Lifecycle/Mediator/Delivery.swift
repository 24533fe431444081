// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Tells listeners of one notification: group after group, the members of a group concurrently.
///
/// It is driven by the end of each call and not by a task that waits, so that a notification whose listeners answer at
/// once is delivered without leaving the turn it was posted in.
final class Delivery {
    private let notification: LifecycleNotification
    private let groups: [[ListenerEntry]]
    private let clock: any LifecycleClock
    private let deadline: (LifecycleAnswer) -> Duration
    private var completion: ((LifecycleReport) -> Void)?
    private var reports: [ListenerReport?] = []
    private var next = 0
    private var calls: [ListenerCall] = []
    private var isAdvancing = false
    private var isCutShort = false

    init(
        _ notification: LifecycleNotification, to groups: [[ListenerEntry]], clock: any LifecycleClock,
        deadline: @escaping (LifecycleAnswer) -> Duration, _ completion: @escaping (LifecycleReport) -> Void
    ) {
        self.notification = notification
        self.groups = groups
        self.clock = clock
        self.deadline = deadline
        self.completion = completion
    }

    /// Tells as many groups as answer at once; the rest follows by itself.
    func advance() {
        guard !isAdvancing else { return }
        isAdvancing = true
        while calls.isEmpty, next < groups.count, !isSettled {
            let group = groups[next]
            next += 1
            for entry in group where !entry.isGone {
                if let answer = entry.answer(to: notification) { tell(entry, answer) }
            }
        }
        isAdvancing = false
        guard calls.isEmpty, let completion else { return }
        self.completion = nil
        completion(LifecycleReport(notification: notification, listeners: reports.compactMap { $0 }))
    }

    /// Waits for nobody any more: the calls under way overrun, and those to come have no time beyond their first step.
    func cutShort() {
        isCutShort = true
        for call in calls { call.overrun() }
    }

    /// Whether nobody else is to be asked: somebody has opened the URL.
    private var isSettled: Bool {
        notification.name == .openURL && reports.contains { $0?.outcome == .handled }
    }

    private func tell(_ entry: ListenerEntry, _ answer: LifecycleAnswer) {
        let place = reports.count
        reports.append(nil)
        let call = ListenerCall(clock: clock) { [self] call, outcome, duration in
            reports[place] = entry.note(outcome, after: duration)
            calls.removeAll { $0 === call }
            advance()
        }
        calls.append(call)
        call.begin(answer, notification, deadline: isCutShort ? .zero : deadline(answer))
    }
}
