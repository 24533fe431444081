// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Tells listeners of one notification: group after group, the members of a group concurrently.
///
/// It is driven by the end of each call and not by a task that waits, so that a notification whose listeners answer at
/// once is delivered without leaving the turn it was posted in.
final class Delivery {
    /// The time an answer has that has gone on for `spent`, when so many groups are told after it.
    typealias Share = (_ answer: LifecycleAnswer, _ spent: Duration, _ groupsLeft: Int) -> TimeShare
    /// Called with each report of progress.
    typealias Progress = (_ listener: String, ProgressReport) -> Void

    private let notification: LifecycleNotification
    private let groups: [[ListenerEntry]]
    private let clock: any LifecycleClock
    private let isRehearsal: Bool
    private let isOutcomeWanted: Bool
    /// That of an answer that is given at once.
    private let deadline: Duration
    private let share: Share
    private let progress: Progress?
    private var completion: ((LifecycleReport) -> Void)?
    private var reports: [ListenerReport?]
    private var next = 0
    private var calls = OpenCalls()
    private var isHandled = false
    /// Who answers at once, right now.
    private var answering: (entry: ListenerEntry, place: Int, startUsec: UInt64)?
    private var isAdvancing = false
    private var isCutShort = false

    init(
        _ notification: LifecycleNotification, to groups: [[ListenerEntry]], after reports: [ListenerReport] = [],
        clock: any LifecycleClock, deadline: Duration, isRehearsal: Bool = false, isOutcomeWanted: Bool = true,
        share: @escaping Share, progress: Progress? = nil,
        _ completion: @escaping (LifecycleReport) -> Void
    ) {
        self.notification = notification
        self.groups = groups
        self.reports = reports
        self.clock = clock
        self.deadline = deadline
        self.isRehearsal = isRehearsal
        self.isOutcomeWanted = isOutcomeWanted
        self.share = share
        self.progress = progress
        self.completion = completion
    }

    // Made and dropped for every notification: an end on the main actor would look for the actor first.
    nonisolated deinit {}

    /// Tells as many groups as answer at once; the rest follows by itself.
    func advance() {
        guard !isAdvancing else { return }
        isAdvancing = true
        while calls.isEmpty, next < groups.count, !isURLOpened {
            let group = groups[next]
            next += 1
            for entry in group where !entry.isRemoved {
                guard let answer = entry.answer(to: notification) else { continue }
                if !isRehearsal { call(entry, answer) } else if let dry = answer.rehearsal { call(entry, dry) }
            }
        }
        isAdvancing = false
        guard calls.isEmpty, let completion else { return }
        self.completion = nil
        completion(LifecycleReport(notification: notification, listeners: reports.compactMap { $0 }))
    }

    /// Who is being waited for.
    var pending: [String] { (calls.all.map(\.entry) + (answering.map { [$0.entry] } ?? [])).map(\.place.name) }

    /// Waits for nobody any more: the calls under way overrun, and those to come have no time beyond their first step.
    func cutShort() {
        isCutShort = true
        finishImmediate(.overran)
        for (_, _, call) in calls.all { call.overrun() }
    }

    /// The time for all is another now: shares it out anew.
    func retime() {
        guard !isCutShort else { return }
        let calls = calls.all
        let shares = calls.map { share($0.answer, $0.call.spent, groups.count - next) }
        for ((_, _, call), share) in zip(calls, shares) { call.retime(share) }
    }

    /// Whether nobody else is to be asked: somebody has opened the URL.
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
        let isPost = notification.trigger == nil && !isRehearsal
        guard !isPost || entry.pendingPosts < ListenerEntry.pendingPostsMax else {
            let reason = "\(ListenerEntry.pendingPostsMax) posts wait for its answers"
            reports[place] = report(of: entry, .failed(reason), .zero, since: clock.monotonicUsec)
            return
        }
        if isPost { entry.pendingPosts += 1 }
        let call = ListenerCall(clock: clock, isOutcomeWanted: isOutcomeWanted) { [self] call, outcome, duration in
            if isPost { entry.pendingPosts -= 1 }
            reports[place] = report(of: entry, outcome, duration, since: call.start.monotonicUsec)
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

    /// Most answers are given at once, and need neither a timer nor anybody to wait for them. One that itself has this
    /// cut short has overrun.
    private func callImmediate(
        _ entry: ListenerEntry, _ body: (LifecycleNotification) throws -> ListenerOutcome, _ place: Int
    ) {
        answering = (entry, place, clock.monotonicUsec)
        finishImmediate(ImmediateAnswer.outcome(of: body, notification))
    }

    /// Ends the answer that is given right now, unless it has ended.
    private func finishImmediate(_ outcome: ListenerOutcome) {
        guard let (entry, place, startUsec) = answering else { return }
        answering = nil
        let duration = Duration(from: startUsec, to: clock.monotonicUsec)
        let judged = isCutShort ? outcome : outcome.judged(duration, deadline: deadline)
        reports[place] = report(of: entry, judged, duration, since: startUsec)
    }

    private func report(
        of entry: ListenerEntry, _ outcome: ListenerOutcome, _ duration: Duration, since startUsec: UInt64
    ) -> ListenerReport {
        if outcome == .handled { isHandled = true }
        return isRehearsal
            ? entry.report(outcome, duration, since: startUsec)
            : entry.record(outcome, after: duration, since: startUsec)
    }
}

/// The calls of a group that have not ended, in the order in which they began. One that ends leaves an empty place until
/// all have.
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

/// A listener's answer that is given at once, so that nobody waits for it and it needs no timer.
struct ImmediateAnswer {
    let entry: ListenerEntry
    let body: (LifecycleNotification) throws -> ListenerOutcome

    /// Tells the listener, and answers what it made of it; nil when it was removed meanwhile.
    func give(
        _ notification: LifecycleNotification, _ clock: any LifecycleClock, deadline: Duration
    ) -> ListenerReport? {
        guard !entry.isRemoved else { return nil }
        let startUsec = clock.monotonicUsec
        let outcome = Self.outcome(of: body, notification)
        let duration = Duration(from: startUsec, to: clock.monotonicUsec)
        return entry.record(outcome.judged(duration, deadline: deadline), after: duration, since: startUsec)
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
