// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle

/// Logs posts that fail because too many wait for the answers of a listener: the first one at once, and further ones
/// once a second with their count.
final class RefusedPosts {
    private let clock: any LifecycleClock
    private let log: ServiceLog
    /// How many of each listener are not logged yet, with the last of them.
    private var waiting: [String: (count: Int, report: ListenerReport, notification: LifecycleNotification)] = [:]
    private var timer: (any LifecycleTimer)?

    init(clock: any LifecycleClock, log: ServiceLog) {
        self.clock = clock
        self.log = log
    }

    /// Counts such a failure.
    ///
    /// - Returns: whether it is the first, or none, so that it is to be logged like any other.
    func isFirst(_ report: ListenerReport, of notification: LifecycleNotification) -> Bool {
        guard report.outcome == .tooManyPosts else { return true }
        if timer == nil { schedule() }
        let before = waiting[report.listener]?.count
        waiting[report.listener] = (before.map { $0 + 1 } ?? 0, report, notification)
        return before == nil
    }

    private func schedule() {
        timer = clock.schedule(after: .seconds(1)) { [weak self] in self?.write() }
    }

    private func write() {
        timer = nil
        waiting = waiting.filter { $0.value.count > 0 }
        for (listener, last) in waiting.sorted(by: { $0.key < $1.key }) {
            log.write(LifecycleJournalRecords.record(of: last.report, for: last.notification, andMore: last.count))
            waiting[listener]?.count = 0
        }
        if !waiting.isEmpty { schedule() }
    }
}
