// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Delivers one notification to its listeners: group after group, the members of a group concurrently.
///
/// The end of one call begins the next call, so no task waits. If all listeners answer immediately, the notification is
/// delivered before `post` returns.
final class Delivery {
    /// The share of time for an answer that has taken `spent` so far, when `groupsLeft` groups come after it.
    typealias Share = (_ answer: LifecycleAnswer, _ spent: Duration, _ groupsLeft: Int) -> TimeShare
    /// Called with each report of progress.
    typealias Progress = (_ listener: String, ProgressReport) -> Void

    private let notification: LifecycleNotification
    private let groups: [[ListenerEntry]]
    private let clock: any LifecycleClock
    private let isOutcomeWanted: Bool
    /// For immediate answers.
    private let deadline: Duration
    private let share: Share
    private let progress: Progress?
    private var completion: ((LifecycleReport) -> Void)?
    private var reports: [ListenerReport?]
    private var next = 0
    private var calls = OpenCalls()
    private var isHandled = false
    private var hasLastingAnswer = false
    /// The immediate answer that is running.
    private var answering: (entry: ListenerEntry, place: Int, startUsec: UInt64)?
    private var isAdvancing = false
    private var isCutShort = false

    init(
        _ notification: LifecycleNotification, to groups: [[ListenerEntry]], after reports: [ListenerReport] = [],
        clock: any LifecycleClock, deadline: Duration, isOutcomeWanted: Bool = true,
        share: @escaping Share, progress: Progress? = nil,
        _ completion: @escaping (LifecycleReport) -> Void
    ) {
        self.notification = notification
        self.groups = groups
        self.reports = reports
        self.clock = clock
        self.deadline = deadline
        self.isOutcomeWanted = isOutcomeWanted
        self.share = share
        self.progress = progress
        self.completion = completion
    }

    // Runs for every notification: a deinit on the main actor would first check on which actor it is.
    nonisolated deinit {}

    /// Calls the groups in order until a listener does not answer immediately. The end of its call calls this method
    /// again.
    func advance() {
        guard !isAdvancing else { return }
        isAdvancing = true
        while calls.isEmpty, next < groups.count, !isURLOpened {
            let group = groups[next]
            next += 1
            for entry in group where !entry.isRemoved {
                guard let answer = entry.answer(to: notification) else { continue }
                call(entry, answer)
            }
        }
        isAdvancing = false
        guard calls.isEmpty, let completion else { return }
        self.completion = nil
        completion(
            LifecycleReport(
                notification: notification, listeners: reports.compactMap { $0 }, hasLastingAnswer: hasLastingAnswer))
    }

    /// The names of the listeners that have not answered yet.
    var pending: [String] { (calls.all.map(\.entry) + (answering.map { [$0.entry] } ?? [])).map(\.place.name) }

    /// Sets every deadline to zero: the calls under way overrun, and later calls end after their first step.
    func cutShort() {
        isCutShort = true
        finishImmediate(.overran)
        for (_, _, call) in calls.all { call.overrun() }
    }

    /// Divides the remaining time again, after the limit of the transition has changed.
    func retime() {
        guard !isCutShort else { return }
        let calls = calls.all
        let shares = calls.map { share($0.answer, $0.call.spent, groups.count - next) }
        for ((_, _, call), share) in zip(calls, shares) { call.retime(share) }
    }

    /// Whether a listener has opened the URL, so that no other is asked.
    private var isURLOpened: Bool { isHandled && notification.name == .openURL }

    private func call(_ entry: ListenerEntry, _ answer: LifecycleAnswer) {
        let place = reports.count
        reports.append(nil)
        switch answer.body {
        case .immediate(let body): callImmediate(entry, body, place)
        case .lasting(let body): begin(body, of: answer, entry, place)
        }
    }

    private func begin(
        _ body: LifecycleAnswer.LastingBody, of answer: LifecycleAnswer, _ entry: ListenerEntry, _ place: Int
    ) {
        let isPost = notification.trigger == nil
        guard !isPost || entry.pendingPosts < ListenerEntry.pendingPostsMax else {
            let reason = "\(ListenerEntry.pendingPostsMax) posts wait for its answers"
            reports[place] = report(of: entry, .failed(reason), .zero, since: clock.monotonicUsec)
            return
        }
        if isPost { entry.pendingPosts += 1 }
        hasLastingAnswer = true
        let call = ListenerCall(clock: clock, isOutcomeWanted: isOutcomeWanted) { [self] call, outcome, duration in
            if isPost { entry.pendingPosts -= 1 }
            reports[place] = report(of: entry, outcome, duration, since: call.start.monotonicUsec, call.details)
            calls.remove(call)
            advance()
        }
        calls.add((entry, answer, call))
        let share = isCutShort ? TimeShare(.zero) : share(answer, .zero, groups.count - next)
        if let progress {
            call.onProgress = { progress(entry.place.name, $0) }
        }
        call.begin(body, notification, share)
    }

    /// Most answers are immediate, and need no timer. One that calls `cutShort()` itself has overrun.
    private func callImmediate(
        _ entry: ListenerEntry, _ body: (LifecycleNotification) throws -> ListenerOutcome, _ place: Int
    ) {
        answering = (entry, place, clock.monotonicUsec)
        finishImmediate(ImmediateAnswer.outcome(of: body, notification))
    }

    /// Ends the immediate answer that is running, if it has not ended.
    private func finishImmediate(_ outcome: ListenerOutcome) {
        guard let (entry, place, startUsec) = answering else { return }
        answering = nil
        let duration = Duration(from: startUsec, to: clock.monotonicUsec)
        let judged = isCutShort ? outcome : outcome.judged(duration, deadline: deadline)
        reports[place] = report(of: entry, judged, duration, since: startUsec)
    }

    private func report(
        of entry: ListenerEntry, _ outcome: ListenerOutcome, _ duration: Duration, since startUsec: UInt64,
        _ details: UserInfo? = nil
    ) -> ListenerReport {
        if outcome == .handled { isHandled = true }
        return entry.record(outcome, after: duration, since: startUsec, details)
    }
}

/// The calls of a group that have not ended, in the order in which they began. A call that ends leaves an empty place
/// until all have ended.
private struct OpenCalls {
    typealias Call = (entry: ListenerEntry, answer: LifecycleAnswer, call: ListenerCall)

    private var places: [Call?] = []
    private var indexes: [ObjectIdentifier: Int] = [:]

    var isEmpty: Bool { indexes.isEmpty }
    var all: [Call] { places.compactMap(\.self) }

    mutating func add(_ call: Call) {
        indexes[ObjectIdentifier(call.call)] = places.count
        places.append(call)
    }

    mutating func remove(_ call: ListenerCall) {
        guard let index = indexes.removeValue(forKey: ObjectIdentifier(call)) else { return }
        places[index] = nil
        if indexes.isEmpty { places = [] }
    }
}

/// A listener's immediate answer, which needs no timer.
struct ImmediateAnswer {
    let entry: ListenerEntry
    let body: (LifecycleNotification) throws -> ListenerOutcome

    /// Calls the listener.
    ///
    /// - Returns: nil when the listener was removed meanwhile.
    func give(
        _ notification: LifecycleNotification, _ clock: any LifecycleClock, deadline: Duration
    ) -> ListenerReport? {
        guard !entry.isRemoved else { return nil }
        let startUsec = clock.monotonicUsec
        let outcome = Self.outcome(of: body, notification)
        let duration = Duration(from: startUsec, to: clock.monotonicUsec)
        return entry.record(outcome.judged(duration, deadline: deadline), after: duration, since: startUsec)
    }

    /// The outcome of an immediate answer.
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
