// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle

/// A mediator with one listener under examination, and what is wrong with it so far.
final class ConformanceStage {
    let check: ListenerConformance
    let clock = ManualClock()
    let mediator: LifecycleMediator
    let refuser = RefusingListener()
    private(set) var failures: [String] = []
    private(set) var reports = 0
    private weak var listener: (any LifecycleListener)?
    private var name = ""

    init(
        _ check: ListenerConformance,
        deadlines: LifecycleDeadlines = LifecycleDeadlines(stop: .seconds(86400), transition: .seconds(86400))
    ) {
        self.check = check
        mediator = LifecycleMediator(clock: clock, configuration: check.configuration, deadlines: deadlines)
        mediator.readConfiguration = { check.configuration }
        mediator.addReportObserver { [weak self] in self?.note($0) }
    }

    /// Remembers the listener without keeping it.
    func watch(_ listener: (any LifecycleListener)?) {
        self.listener = listener
        name = listener?.name ?? ""
    }

    /// Gives the listener to the mediator, so that nobody else keeps it.
    func add(_ listener: inout (any LifecycleListener)?) throws {
        if let listener { try mediator.addListener(listener) }
        listener = nil
    }

    func remove() {
        if let listener { mediator.removeListener(listener) }
    }

    /// The names to post: all that the listener declares and that belong to no transition.
    var posted: [LifecycleNotification.Name] {
        let names = listener?.answers.filter { $0.action == nil }.map(\.name) ?? []
        return names.filter { !$0.isTransition }
    }

    /// The actions to ask for.
    var actions: [String] { listener?.answers.compactMap(\.action?.id) ?? [] }

    /// The shortest time that any answer has.
    var shortestDeadline: Duration {
        listener?.answers.map { $0.deadline ?? mediator.deadlines.listener }.min() ?? mediator.deadlines.listener
    }

    /// Whether somebody keeps the listener that nobody should know any more.
    func leak() async -> [String] {
        await wait { self.listener == nil } ? [] : ["is gone when it was removed: something still holds '\(name)'"]
    }

    /// Waits by the real clock, up to the patience of the check.
    func wait(until condition: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + check.patience
        var rounds = 0
        while !condition() {
            // Where the main actor is busy, time passes and nobody had a turn.
            guard rounds < 20 || ContinuousClock.now < end else { return false }
            rounds += 1
            await Self.turns()
            if !condition() { try? await Task.sleep(for: .milliseconds(1)) }
        }
        return true
    }

    /// Lets other work of the main actor go on.
    static func turns() async { for _ in 0..<20 { await Task.yield() } }

    private func note(_ report: LifecycleReport) {
        reports += 1
        // In the check of cancellation nobody has time.
        guard mediator.deadlines.listener > .zero else { return }
        for answer in report.listeners where answer.listener == name && name != refuser.name {
            let told = report.notification.name
            switch answer.outcome {
            case .overran, .late: failures.append("answers within its deadline: no answer to '\(told)'")
            case .failed(let reason): failures.append("answers what it declared: '\(told)' failed: \(reason)")
            case .refused(let reason): failures.append("answers what it declared: '\(told)' refused: \(reason)")
            case .completed, .fetched, .handled, .declined: break
            }
        }
    }
}
