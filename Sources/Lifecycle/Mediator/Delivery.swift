// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Tells listeners of one notification: group after group, the members of a group concurrently.
///
/// It is driven by the end of each call and not by a task that waits, so that a notification whose listeners answer at
/// once is delivered without leaving the turn it was posted in.
final class Delivery {
    /// The time an answer has that has gone on for `spent`, when the groups in `later` are told after it.
    typealias Share = (
        _ answer: LifecycleAnswer, _ spent: Duration, _ later: ArraySlice<[ListenerEntry]>
    ) -> TimeShare
    /// What is told while it goes on: who gets on, and when his time is up, with what is kept for others, if that
    /// moved.
    typealias Progress = (
        _ listener: String, _ window: Duration, _ text: String?, _ moved: (until: UInt64, reserve: Duration)?
    ) -> Void

    private let notification: LifecycleNotification
    private let groups: [[ListenerEntry]]
    private let clock: any LifecycleClock
    private let isRehearsal: Bool
    private let share: Share
    private let progress: Progress?
    private var completion: ((LifecycleReport) -> Void)?
    private var reports: [ListenerReport?] = []
    private var next = 0
    private var calls: [(entry: ListenerEntry, answer: LifecycleAnswer, call: ListenerCall)] = []
    private var isAdvancing = false
    private var isCutShort = false

    init(
        _ notification: LifecycleNotification, to groups: [[ListenerEntry]], clock: any LifecycleClock,
        isRehearsal: Bool = false, share: @escaping Share, progress: Progress? = nil,
        _ completion: @escaping (LifecycleReport) -> Void
    ) {
        self.notification = notification
        self.groups = groups
        self.clock = clock
        self.isRehearsal = isRehearsal
        self.share = share
        self.progress = progress
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
                guard let answer = entry.answer(to: notification) else { continue }
                if !isRehearsal { tell(entry, answer) } else if let dry = answer.rehearsal { tell(entry, dry) }
            }
        }
        isAdvancing = false
        guard calls.isEmpty, let completion else { return }
        self.completion = nil
        completion(LifecycleReport(notification: notification, listeners: reports.compactMap { $0 }))
    }

    /// Who is being waited for.
    var awaited: [String] { calls.map(\.entry.place.name) }

    /// Waits for nobody any more: the calls under way overrun, and those to come have no time beyond their first step.
    func cutShort() {
        isCutShort = true
        for (_, _, call) in calls { call.overrun() }
    }

    /// The time for all is another now: shares it out anew.
    func retime() {
        guard !isCutShort else { return }
        for (_, answer, call) in calls { call.retime(share(answer, call.spent, groups[next...])) }
    }

    /// Whether nobody else is to be asked: somebody has opened the URL.
    private var isSettled: Bool {
        notification.name == .openURL && reports.contains { $0?.outcome == .handled }
    }

    private func tell(_ entry: ListenerEntry, _ answer: LifecycleAnswer) {
        let place = reports.count
        reports.append(nil)
        let call = ListenerCall(clock: clock) { [self] call, outcome, duration in
            reports[place] = isRehearsal ? entry.report(outcome, duration) : entry.note(outcome, after: duration)
            calls.removeAll { $0.call === call }
            advance()
        }
        calls.append((entry, answer, call))
        let share = isCutShort ? TimeShare(.zero) : share(answer, .zero, groups[next...])
        if let progress {
            call.onProgress = { window, text, until in
                progress(entry.place.name, window, text, until.map { ($0, share.reserve) })
            }
        }
        call.begin(answer, notification, share)
    }
}
