// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The background tasks under way, and who waits for their end. It does not keep them: a task that is dropped has
/// ended.
final class BackgroundTaskList {
    private struct Reference {
        weak var task: BackgroundTask?
        let id: ObjectIdentifier
    }

    private var tasks: [Reference] = []
    /// Hears of progress while somebody waits.
    var onProgress: ((_ task: BackgroundTask, _ window: Duration, _ text: String?) -> Void)?

    /// Whether there is none.
    var isEmpty: Bool { tasks.isEmpty }
    /// Those that are under way.
    var underWay: [BackgroundTask] { tasks.compactMap(\.task) }
    /// What those are called that others are told of.
    var namesToTell: [String] { underWay.filter { !$0.isSilent }.map(\.name) }
    /// The time until all have expired.
    var longestTime: Duration { underWay.map(\.remainingTime).max() ?? .zero }
    private var waiting: [() -> Void] = []

    func add(_ task: BackgroundTask) { tasks.append(Reference(task: task, id: ObjectIdentifier(task))) }

    func remove(_ task: BackgroundTask) {
        tasks.removeAll { $0.id == ObjectIdentifier(task) }
        if tasks.isEmpty { endWait() }
    }

    /// Calls `body` when there is no task, which may be now.
    func whenEmpty(_ body: @escaping () -> Void) {
        if tasks.isEmpty { body() } else { waiting.append(body) }
    }

    /// Ends the wait: every task expires, and those that are begun meanwhile come too late to be waited for.
    func expireAll() {
        for reference in tasks { reference.task?.expire() }
        endWait()
    }

    private func endWait() {
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }
}
