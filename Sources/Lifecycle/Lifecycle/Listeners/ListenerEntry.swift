// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A listener in a mediator: its declarations and its record.
final class ListenerEntry {
    let listener: any LifecycleListener
    let place: ListenerOrder.Place
    /// How many listeners were added before it.
    let number: Int
    /// How many posts may wait for its answers at a time.
    nonisolated static let pendingPostsMax = 4096
    /// How many posts wait for its answers.
    var pendingPosts = 0
    /// How many calls of a listener, or of the observers of a name, may be within each other.
    nonisolated static let nestedCallsMax = 16
    private var nestedCalls = 0
    /// Whether too many calls were within each other. It holds until the outermost has ended, so that one that posts
    /// twice does not double the calls at each depth.
    private var isEndless = false
    /// How many of its answers missed their deadline and have not ended since.
    var stillRunning = 0
    /// Whether the listener was removed, so that a delivery under way skips it.
    private(set) var isRemoved = false
    private(set) var interests: [LifecycleNotification.Name] = []
    private var answers: [LifecycleNotification.Name: LifecycleAnswer] = [:]
    private(set) var actionAnswers: [LifecycleAnswer] = []
    /// Counts the declarations of answers that were read.
    private(set) var revision = 0
    @exclusivity(unchecked)  // nothing calls out while it is changed
    private var record = ListenerRecord()

    init(_ listener: any LifecycleListener, _ role: ListenerRole, number: Int) throws(ListenerOrderError) {
        self.listener = listener
        self.number = number
        place = ListenerOrder.Place(listener.name, rank: listener.rank, follows: listener.follows, role)
        try readAnswers()
    }

    /// Reads the answers of the listener, or throws and keeps those that it has.
    ///
    /// - Returns: those that it had. Release them last: what they held may call the mediator.
    @discardableResult
    func readAnswers() throws(ListenerOrderError) -> [LifecycleAnswer] {
        let former = Array(answers.values) + actionAnswers
        let declared = listener.answers
        var seen: (names: Set<LifecycleNotification.Name>, actions: Set<UTF8Text>) = ([], [])
        var interests: [LifecycleNotification.Name] = []
        for answer in declared {
            let isFirst = seen.names.insert(answer.name).inserted
            let isNew = answer.action.map { seen.actions.insert(UTF8Text($0.id)).inserted } ?? isFirst
            if !isNew { throw .answers(listener: place.name, to: answer.action?.id ?? answer.name.rawValue) }
            if isFirst { interests.append(answer.name) }
        }
        revision += 1
        self.interests = interests
        actionAnswers = declared.filter { $0.action != nil }
        answers = Dictionary(declared.map { ($0.name, $0) }) { first, _ in first }
        return former
    }

    /// It is not called any more.
    func remove() {
        isRemoved = true
        revision += 1
    }

    /// The answer to a name, if it has one.
    func answer(to name: LifecycleNotification.Name) -> LifecycleAnswer? { answers[name] }

    /// The answer to a notification; for `performAction` the answer to the action that is asked for.
    func answer(to notification: LifecycleNotification) -> LifecycleAnswer? {
        guard notification.name == .performAction else { return answers[notification.name] }
        return actionAnswers.first { $0.action.map { .string($0.id) } == notification.userInfo["action"] }
    }

    /// Begins a call, which `endCall()` ends when the answer returns or waits for the first time.
    ///
    /// - Returns: false for a listener that posts, within its answers, what leads to its next call.
    func beginCall() -> Bool {
        if nestedCalls == Self.nestedCallsMax { isEndless = true }
        guard !isEndless else { return false }
        nestedCalls += 1
        return true
    }

    func endCall() {
        nestedCalls -= 1
        if nestedCalls == 0 { isEndless = false }
    }

    /// The actions it offers.
    var actions: [LifecycleAction] { actionAnswers.compactMap(\.action) }

    func record(
        _ outcome: ListenerOutcome, of name: LifecycleNotification.Name, after duration: Duration,
        since start: Duration, _ work: WorkSummary? = nil, _ overrunReason: String? = nil
    ) -> ListenerReport {
        record.add(outcome, of: name, after: duration, since: start, work)
        return report(outcome, duration, since: start, work, overrunReason)
    }

    func report(
        _ outcome: ListenerOutcome, _ duration: Duration, since start: Duration, _ work: WorkSummary? = nil,
        _ overrunReason: String? = nil
    ) -> ListenerReport {
        ListenerReport(
            listener: place.name, outcome: outcome, start: start, duration: duration, work: work,
            overrunReason: overrunReason, isRequired: listener.isRequired)
    }

    /// The time that its answer to a name wants: zero when it has no answer, or an immediate one.
    func time(for name: LifecycleNotification.Name, unless deadline: Duration) -> Duration {
        guard !isRemoved, let answer = answers[name], !answer.isImmediate else { return .zero }
        return answer.deadline ?? deadline
    }

    func status(order: Int, deadline: Duration) -> ListenerStatus {
        let longest = answers.values.map { $0.deadline ?? deadline }.max() ?? deadline
        return ListenerStatus(
            name: place.name, interests: interests, order: order, deadline: longest, health: listener.health,
            activity: listener.activity, record: record, stillRunning: stillRunning)
    }
}

extension Sequence<ListenerEntry> {
    /// The listeners in the order in which they were added.
    var inOrderOfAddition: [ListenerEntry] { sorted { $0.number < $1.number } }
}
