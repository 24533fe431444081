// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryEventLoop
package import BelfryListeners
package import Lifecycle

/// Writes back and trims each `[Cache NAME]` on the notifications that it names.
///
/// The work runs on another thread, so that a slow disk does not block the loop. At the deadline the flush ends before
/// the next file, and the next flush continues it.
///
/// One flush runs at a time. Requests that arrive meanwhile are merged into one more flush: the result of each is that
/// of a flush that began after the request. A stop cancels posted requests, and those posted during a stop fail; a
/// flush that is part of a transition still runs.
package final class CacheFlushListener: LifecycleListener {
    /// How often progress is reported.
    private static let interval: Duration = .milliseconds(250)

    package let name = "cacheFlush"
    /// A service works without a flush that fails, also in a launch.
    package let isRequired = false
    private let log: ServiceLog
    private unowned let mediator: LifecycleMediator
    private var caches: [CacheSettings]
    private var running: FlushBatch?
    private var waiting: FlushBatch?
    private var timer: (any LifecycleTimer)?
    private var observations: [LifecycleObservation] = []

    /// - Parameters:
    ///   - mediator: has the configuration with the caches.
    ///   - log: receives a record for each flush of a cache.
    package init(mediator: LifecycleMediator, log: ServiceLog) {
        self.mediator = mediator
        self.log = log
        caches = mediator.configuration[BelfrySettings.self]?.caches ?? []
        observations = [mediator.addEventObserver(for: .stopAccepted) { [weak self] _ in self?.cancelPosts() }]
        // Observers come first: a flush on a reload is one by the new configuration.
        observations += [.didReload, .didFailToReload].map {
            mediator.addObserver(forName: $0) { [weak self] in self?.apply($0.configuration) }
        }
    }

    package var answers: [LifecycleAnswer] {
        for interest in interests {
            onOutcome(interest) { [self] in flush($0, $1, $2) }
        }
    }

    /// The notifications that any cache is flushed on, in the order of the configuration.
    private var interests: [LifecycleNotification.Name] {
        var seen: Set<LifecycleNotification.Name> = []
        return caches.flatMap(\.on).filter { seen.insert($0).inserted }
    }

    private func apply(_ configuration: LifecycleConfiguration?) {
        caches = configuration?[BelfrySettings.self]?.caches ?? []
        try! mediator.updateAnswers(of: self)  // `interests` has each name once
    }

    /// - Returns: cancels the request.
    private func flush(
        _ notification: LifecycleNotification, _ progress: ListenerProgress,
        _ completion: @escaping (AnswerEnd) -> Void
    ) -> () -> Void {
        guard notification.trigger != nil || !mediator.isStopping else {
            completion(Self.stopping)
            return {}
        }
        let batch = waiting ?? FlushBatch(notification)
        waiting = batch
        let number = batch.add(
            FlushBatch.Request(notification: notification, progress: progress, completion: completion))
        runNext()
        return { [weak self] in
            batch.remove(number)
            self?.cancelIfEmpty(batch)
        }
    }

    /// Begins the waiting batch, if none runs.
    private func runNext() {
        guard running == nil, let batch = waiting else { return }
        (running, waiting) = (batch, nil)
        let wanted = caches.filter { !batch.names.isDisjoint(with: $0.on) }
        let now = mediator.clock.now.realtime
        let monitor = batch.monitor
        scheduleProgress()
        WorkerThread.run {
            wanted.map { $0.flush(now: now, monitor: monitor) }
        } then: { [self] reports in
            running = nil
            timer?.cancel()
            // Nobody waits for the answer any longer, which would tell it.
            if batch.requests.isEmpty, let work = WorkSummary(reports) { record(work, of: batch) }
            batch.end { request in
                let name = request.notification.name
                let own = zip(wanted, reports).filter { $0.0.on.contains(name) }.map(\.1)
                return AnswerEnd(Self.outcome(own), WorkSummary(own))
            }
            runNext()
        }
    }

    /// Cancels the flush that is running, and logs what it has done so far. The process ends.
    func end() {
        guard let running else { return }
        running.monitor.cancel()
        record(WorkSummary(unfinished: running.monitor), of: running)
    }

    private func record(_ work: WorkSummary, of batch: FlushBatch) {
        log.write(LifecycleJournalRecords.record(of: work, by: name, for: batch.first))
    }

    private func scheduleProgress() {
        timer = mediator.clock.schedule(after: Self.interval) { [weak self] in
            guard let self, let running else { return }
            running.reportProgress()
            scheduleProgress()
        }
    }

    /// Fails the requests that are not part of a transition: the service is stopping.
    private func cancelPosts() {
        for batch in [running, waiting].compactMap(\.self) {
            batch.end {
                $0.trigger == nil
            } _: { _ in
                Self.stopping
            }
            cancelIfEmpty(batch)
        }
    }

    /// Cancels a batch that has no requests any more.
    private func cancelIfEmpty(_ batch: FlushBatch) {
        guard batch.requests.isEmpty else { return }
        batch.monitor.cancel()
        if waiting === batch { waiting = nil }
    }

    private static let stopping = AnswerEnd(.failed("cancelled, the service is stopping"))

    /// The outcome with the problems. Caches that are not named were flushed.
    private static func outcome(_ reports: [CacheFlushReport]) -> ListenerOutcome {
        let problems = reports.flatMap { report in report.problems.map { "cache '\(report.name)': \($0)" } }
        return problems.isEmpty ? .completed : .failed(problems.joined(separator: "; "))
    }
}
