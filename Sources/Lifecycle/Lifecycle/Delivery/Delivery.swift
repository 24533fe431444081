// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Delivers one notification to its listeners: group after group, the members of a group concurrently.
///
/// The end of one call begins the next call, so no task waits. If all listeners answer immediately, the notification is
/// delivered before `advance()` returns.
final class Delivery {
    /// The share of time for an answer that has taken `spent` so far, when `groupsLeft` groups come after it.
    typealias Share = (_ answer: LifecycleAnswer, _ spent: Duration, _ groupsLeft: Int) -> TimeShare
    /// Called with each report of progress.
    typealias Progress = (_ listener: String, ProgressReport) -> Void
    private typealias OpenCall = (entry: ListenerEntry, answer: LifecycleAnswer, call: ListenerCall)

    private enum State {
        /// Listeners are being called.
        case calling
        /// It waits for answers.
        case waiting
        case done
    }

    private let clock: any LifecycleClock
    private let isOutcomeWanted: Bool
    private let share: Share
    private let progress: Progress?
    private let lateEnd: (ListenerReport) -> Void
    private let completion: (LifecycleReport) -> Void
    private let round: AnswerRound
    /// The calls that have not ended, by their places in the reports.
    private var open: [Int: OpenCall] = [:]
    private var state = State.waiting

    /// - Parameters:
    ///   - round: what was answered so far, and who is to be called.
    ///   - isOutcomeWanted: whether somebody waits for the outcome.
    ///   - lateEnd: called when an answer that missed its deadline has ended at last, with the time since it began.
    ///   - completion: called once, when all listeners are done or out of time.
    init(
        _ round: AnswerRound, clock: any LifecycleClock, isOutcomeWanted: Bool = true,
        share: @escaping Share, progress: Progress? = nil, lateEnd: @escaping (ListenerReport) -> Void = { _ in },
        _ completion: @escaping (LifecycleReport) -> Void
    ) {
        self.round = round
        self.clock = clock
        self.isOutcomeWanted = isOutcomeWanted
        self.share = share
        self.progress = progress
        self.lateEnd = lateEnd
        self.completion = completion
    }

    // Runs for every notification of a transition: a deinit on the main actor would first check on which actor it is.
    nonisolated deinit {}

    /// Calls the listeners in order until one does not answer immediately. The end of its call calls this method again.
    ///
    /// - Parameter first: what the round has come to already.
    func advance(from first: AnswerRound.LastingCall? = nil) {
        guard case .waiting = state else { return }
        state = .calling
        var lasting = first ?? nextLasting
        while let (entry, answer, body) = lasting {
            begin(body, of: answer, entry)
            // An immediate answer may have ended the calls that the next group has to wait for.
            lasting = nextLasting ?? (open.isEmpty ? nextLasting : nil)
        }
        state = open.isEmpty ? .done : .waiting
        if open.isEmpty { completion(round.report) }
    }

    private var nextLasting: AnswerRound.LastingCall? { round.nextLasting(clock, hasOpenCalls: !open.isEmpty) }

    /// The names of the listeners that have not answered yet, in the order of the calls.
    var pending: [String] { inOrder.map(\.entry.place.name) }

    /// Sets every deadline to zero: the calls under way overrun, and later calls end after their first step.
    func cutShort() {
        round.isCutShort = true
        for (_, _, call) in inOrder { call.overrun() }
    }

    /// Divides the remaining time again, after the limit of the transition has changed.
    func retime() {
        guard !round.isCutShort else { return }
        let calls = inOrder
        let shares = calls.map { share($0.answer, $0.call.spent, round.groupsLeft) }
        for ((_, _, call), share) in zip(calls, shares) { call.retime(share) }
    }

    private var inOrder: [OpenCall] { open.sorted { $0.key < $1.key }.map(\.value) }

    private func begin(_ body: LifecycleAnswer.LastingBody, of answer: LifecycleAnswer, _ entry: ListenerEntry) {
        let place = round.reserve()
        let isPost = round.notification.trigger == nil
        let event = round.notification.name
        let hasRoom = !isPost || entry.pendingPosts < ListenerEntry.pendingPostsMax
        guard hasRoom, entry.beginCall() else {
            let outcome = hasRoom ? ListenerOutcome.endlessPosts : .tooManyPosts
            return round.set(entry.record(outcome, of: event, after: .zero, since: clock.monotonic), at: place)
        }
        defer { entry.endCall() }
        if isPost { entry.pendingPosts += 1 }
        let name = entry.place.name
        let call = ListenerCall(
            clock: clock, isOutcomeWanted: isOutcomeWanted, progress: progress.map { report in { report(name, $0) } },
            lateEnd: { [lateEnd] call in
                entry.stillRunning -= 1
                lateEnd(entry.report(.late, call.spent, since: call.start.monotonic))
            }
        ) { [self] call, end, duration in
            if isPost { entry.pendingPosts -= 1 }
            if call.isStillRunning { entry.stillRunning += 1 }
            round.set(
                entry.record(
                    end.outcome, of: event, after: duration, since: call.start.monotonic, end.work, call.overrunReason),
                at: place)
            // What it held is released after the change.
            _ = open.removeValue(forKey: place)
            advance()
        }
        open[place] = (entry, answer, call)
        let share = round.isCutShort ? TimeShare(.zero) : share(answer, .zero, round.groupsLeft)
        call.begin(body, round.notification, share)
    }
}
