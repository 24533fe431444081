// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The background tasks under way, and who waits for their end. It does not keep them: a task that is dropped has
/// ended.
final class BackgroundTaskList {
    private struct Reference {
        weak var task: BackgroundTask?
        let number: Int
    }

    private var tasks: [ObjectIdentifier: Reference] = [:]
    private var added = 0
    /// Hears of progress while somebody waits.
    var onProgress: ((_ task: BackgroundTask, _ window: Duration, _ text: String?) -> Void)?

    /// Whether there is none.
    var isEmpty: Bool { tasks.isEmpty }
    /// Those that are under way, in the order in which they began.
    var underWay: [BackgroundTask] { tasks.values.sorted { $0.number < $1.number }.compactMap(\.task) }
    /// What those are called that others are told of.
    var namesToTell: [String] { underWay.filter { !$0.isSilent }.map(\.name) }
    /// The time until all have expired.
    var longestTime: Duration { tasks.values.compactMap { $0.task?.remainingTime }.max() ?? .zero }
    private var waiting: [() -> Void] = []

    func add(_ task: BackgroundTask) {
        tasks[ObjectIdentifier(task)] = Reference(task: task, number: added)
        added += 1
    }

    func remove(_ task: BackgroundTask) {
        tasks[ObjectIdentifier(task)] = nil
        if tasks.isEmpty { endWait() }
    }

    /// Calls `body` when there is no task, which may be now.
    func whenEmpty(_ body: @escaping () -> Void) {
        if tasks.isEmpty { body() } else { waiting.append(body) }
    }

    /// Ends the wait: every task expires, and those that are begun meanwhile come too late to be waited for.
    func expireAll(_ reason: BackgroundTask.Expiry) {
        for reference in tasks.values.sorted(by: { $0.number < $1.number }) { reference.task?.expire(reason) }
        endWait()
    }

    private func endWait() {
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }
}
