// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A listener that is to be called for a notification.
struct DueCall {
    /// An answer that ends within its call.
    typealias Immediate = (LifecycleNotification) throws -> AnswerEnd

    let entry: ListenerEntry
    /// The members of a group are called concurrently. Groups are numbered in the order of their calls.
    let group: Int
    /// Its answer if that is immediate, as long as the listener does not declare others. Found once, because most
    /// answers are.
    private let body: Immediate?
    /// The revision of the listener's answers.
    private let revision: Int

    init(_ entry: ListenerEntry, to name: LifecycleNotification.Name, group: Int) {
        self.entry = entry
        self.group = group
        revision = entry.revision
        if case .immediate(let body) = entry.answer(to: name)?.body { self.body = body } else { body = nil }
    }

    /// The answer, if it is immediate and a call before this one has neither removed the listener nor changed its
    /// answers.
    var immediate: Immediate? { entry.revision == revision ? body : nil }

    /// The answer to a notification, if there is one now.
    func answer(to notification: LifecycleNotification) -> LifecycleAnswer? {
        entry.isRemoved ? nil : entry.answer(to: notification)
    }
}

/// The calls of the listeners of one notification in order, and their reports: the one loop that calls listeners.
///
/// Most listeners answer within their call. A notification that only such listeners answer needs no more than this; the
/// answers that last are up to `Delivery`. An answer may lead back to its own round, so nothing is accessed exclusively
/// during a call.
final class AnswerRound {
    /// A call that may go on after the answer was begun.
    typealias LastingCall = (entry: ListenerEntry, answer: LifecycleAnswer, body: LifecycleAnswer.LastingBody)

    let notification: LifecycleNotification
    private let calls: [DueCall]
    /// For immediate answers.
    private let deadline: Duration
    /// Those who are told what a listener did; nil within a composite, which tells itself.
    private let events: EventObserverList?
    /// Whether there are reports only of immediate answers that failed, were late or say what was done.
    private let onlyNotable: Bool
    private var next = 0
    /// The group that is being called.
    private var group = -1
    private var reports: [ListenerReport?] = []
    /// Whether an answer was begun that may go on after its call.
    private var hasLastingAnswer = false
    /// Whether there is no time for the calls that begin from now on, so that none of them is late.
    var isCutShort = false

    init(
        _ notification: consuming LifecycleNotification, to calls: [DueCall], deadline: Duration,
        events: EventObserverList?, onlyNotable: Bool = false
    ) {
        self.notification = notification
        self.calls = calls
        self.deadline = deadline
        self.events = events
        self.onlyNotable = onlyNotable
    }

    // As that of `Delivery`.
    nonisolated deinit {}

    /// Calls the listeners whose turn has come and that answer immediately.
    ///
    /// - Parameter hasOpenCalls: whether answers are awaited: only other members of their group are called then.
    /// - Returns: the first whose answer may last; nil if no other is to be called now.
    func nextLasting(_ clock: any LifecycleClock, hasOpenCalls: Bool = false) -> LastingCall? {
        while next < calls.count {
            let call = calls[next]
            if call.group != group {
                guard !hasOpenCalls, !isURLOpened else { return nil }
                group = call.group
            }
            next += 1
            if let body = call.immediate {
                answer(body, call.entry, clock)
            } else if let found = call.answer(to: notification) {
                switch found.body {
                case .lasting(let body): return (call.entry, found, body)
                case .immediate(let body): answer(body, call.entry, clock)
                }
            }
        }
        return nil
    }

    private func answer(_ body: DueCall.Immediate, _ entry: ListenerEntry, _ clock: any LifecycleClock) {
        let (start, hasDeadline) = (clock.monotonic, !isCutShort)
        let end = Self.end(of: body, entry, notification)
        let duration = clock.monotonic - start
        let judged = hasDeadline ? end.outcome.judged(duration, deadline: deadline) : end.outcome
        let report = entry.record(judged, of: notification.name, after: duration, since: start, end.work)
        if !onlyNotable || report.isNotable { reports.append(report) }
        tell(report)
    }

    private static func end(
        of body: DueCall.Immediate, _ entry: ListenerEntry, _ notification: LifecycleNotification
    ) -> AnswerEnd {
        guard entry.beginCall() else { return AnswerEnd(.endlessPosts) }
        defer { entry.endCall() }
        do {
            return try body(notification)
        } catch {
            return AnswerEnd(error)
        }
    }

    /// At once, whatever the listeners after it do.
    private func tell(_ report: ListenerReport) {
        if report.work != nil { events?.send(.listenerWorked(report, notification)) }
    }

    /// Whether a listener has opened the URL, so that no other is asked.
    private var isURLOpened: Bool { notification.isForOne && reports.contains { $0?.outcome == .handled } }

    /// How many groups are called after the present one.
    var groupsLeft: Int { (calls.last?.group ?? group) - group }

    /// Adds an empty place for the report of an answer that may last.
    func reserve() -> Int {
        hasLastingAnswer = true
        reports.append(nil)
        return reports.count - 1
    }

    func set(_ report: ListenerReport, at place: Int) {
        reports[place] = report
        tell(report)
    }

    /// Whether there is nothing to report.
    var isEmpty: Bool { reports.isEmpty }

    var report: LifecycleReport {
        LifecycleReport(
            notification: notification, listeners: reports.compactMap(\.self), hasLastingAnswer: hasLastingAnswer)
    }
}
