// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A listener's place in a mediator: what it declared, and how it has done.
final class ListenerEntry {
    let listener: any LifecycleListener
    let name: String
    private(set) var interests: [LifecycleNotification.Name] = []
    /// Set when the listener is removed, so that a delivery under way leaves it out.
    var isGone = false
    private var answers: [LifecycleNotification.Name: LifecycleAnswer] = [:]
    private var record = ListenerRecord()

    init(_ listener: any LifecycleListener) {
        self.listener = listener
        name = listener.name
        readAnswers()
    }

    /// Asks the listener what it answers.
    func readAnswers() {
        let declared = listener.answers
        interests = declared.map(\.name)
        answers = Dictionary(declared.map { ($0.name, $0) }) { _, last in last }
    }

    func answer(to name: LifecycleNotification.Name) -> LifecycleAnswer? { answers[name] }

    func note(_ outcome: ListenerOutcome, after duration: Duration) -> ListenerReport {
        record.note(outcome, after: duration)
        return ListenerReport(listener: name, outcome: outcome, duration: duration)
    }

    func status(order: Int, deadline: Duration) -> ListenerStatus {
        let longest = answers.values.map { $0.deadline ?? deadline }.max() ?? deadline
        return ListenerStatus(name: name, interests: interests, order: order, deadline: longest, record: record)
    }
}
