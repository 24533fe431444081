// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
package import BelfryListeners
internal import BelfrySystemd
package import Lifecycle

/// Writes back and trims each `[Cache NAME]` on the notifications that it names.
///
/// The work runs on another thread, so that a slow disk does not block the loop. At the deadline the flush ends early,
/// and the next flush continues it.
///
/// One flush runs at a time. Requests that arrive meanwhile are merged into one more flush: the result of each is that of a
/// flush that began after the request. A stop cancels posted requests, and those posted during a stop fail; a flush that is
/// part of a transition still runs.
package final class CacheFlushListener: LifecycleListener {
    package let name = "cacheFlush"
    private let log: ServiceLog
    private unowned let mediator: LifecycleMediator
    private var caches: [CacheParameters]
    private var running: FlushBatch?
    private var waiting: FlushBatch?
    private var stops: LifecycleObservation?

    /// - Parameters:
    ///   - mediator: has the configuration with the caches.
    ///   - log: receives a record for each flush of a cache.
    package init(mediator: LifecycleMediator, log: ServiceLog) {
        self.mediator = mediator
        self.log = log
        caches = mediator.configuration[[CacheParameters].self] ?? []
        stops = mediator.addEventObserver(for: .stopAccepted) { [weak self] _ in self?.cancelPosts() }
    }

    package var answers: [LifecycleAnswer] {
        for interest in interests {
            onOutcome(interest) { [self] in flush($0, $1, $2) }.rehearsingOnCompletion { [self] in rehearse($0, $1) }
        }
        // A reload cannot fail here.
        on(.didReload) { [self] in apply($0.configuration) }.rehearsing { _ in }
        on(.didFailToReload) { [self] in apply($0.configuration) }
    }

    /// The notifications that any cache is flushed on, in the order of the configuration.
    private var interests: [LifecycleNotification.Name] {
        var seen: Set<LifecycleNotification.Name> = []
        return caches.flatMap(\.names).filter { seen.insert($0).inserted }
    }

    private func apply(_ configuration: LifecycleConfiguration?) {
        caches = configuration?[[CacheParameters].self] ?? []
        mediator.updateAnswers(of: self)
    }

    /// - Returns: cancels the request.
    private func flush(
        _ notification: LifecycleNotification, _ progress: ListenerProgress,
        _ completion: @escaping (ListenerOutcome) -> Void
    ) -> () -> Void {
        guard notification.trigger != nil || !mediator.isStopping else {
            completion(Self.stopping)
            return {}
        }
        let batch = waiting ?? FlushBatch(notification)
        waiting = batch
        let number = batch.add(
            FlushBatch.Request(notification: notification, completion: completion), isAwaited: progress.isOutcomeWanted)
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
        let wanted = caches.filter { !batch.names.isDisjoint(with: $0.names) }
        let directories = wanted.map(\.directory)
        let now = Duration.microseconds(mediator.clock.now.realtimeUsec)
        let flag = batch.flag
        WorkerThread.run {
            directories.map { cache in
                CacheFlushOutcome(of: cache) { () throws(CacheError) in
                    try cache.flush(now: now) { flag.isRaised }
                }
            }
        } then: { [self] outcomes in
            for outcome in outcomes {
                if let report = outcome.report { log.write(CacheFlushRecord.record(of: report, for: batch)) }
            }
            running = nil
            batch.end { request in
                let name = request.notification.name
                let failure = CacheFlushFailure(zip(wanted, outcomes).filter { $0.0.names.contains(name) }.map(\.1))
                return failure.map { .failed($0.description) } ?? .completed
            }
            runNext()
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
        batch.flag.raise()
        if waiting === batch { waiting = nil }
    }

    /// Checks whether a flush would succeed.
    private func rehearse(
        _ notification: LifecycleNotification, _ completion: @escaping (Result<Void, any Error>) -> Void
    ) -> () -> Void {
        let caches = caches.filter { $0.names.contains(notification.name) }.map(\.directory)
        let flag = CancellationFlag()
        WorkerThread.run {
            caches.map { cache in
                CacheFlushOutcome(of: cache) { () throws(CacheError) in
                    try cache.rehearseFlush { flag.isRaised }
                }
            }
        } then: { outcomes in
            completion(CacheFlushFailure(outcomes).map { .failure($0) } ?? .success(()))
        }
        return { flag.raise() }
    }

    private static let stopping = ListenerOutcome.failed("cancelled, the service is stopping")
}

/// The outcome for one cache.
nonisolated struct CacheFlushOutcome: Sendable {
    /// What was done; nil if the cache could not be used at all.
    let report: CacheFlushReport?
    /// The problems, a line each.
    let problems: [String]

    init(of cache: CacheDirectory, _ work: () throws(CacheError) -> CacheFlushReport) {
        do throws(CacheError) {
            let report = try work()
            self.report = report
            problems = report.problems.map { "cache '\(cache.name)': \($0)" }
        } catch {
            report = nil
            problems = ["cache '\(cache.name)': \(error)"]
        }
    }
}

/// The problems of a flush. Caches that are not named were flushed.
nonisolated struct CacheFlushFailure: Error, Sendable, CustomStringConvertible {
    let description: String

    /// Nil when nothing went wrong.
    init?(_ outcomes: [CacheFlushOutcome]) {
        let problems = outcomes.flatMap(\.problems)
        if problems.isEmpty { return nil }
        description = problems.joined(separator: "; ")
    }
}

/// The journal record of a flush.
enum CacheFlushRecord {
    static func record(of report: CacheFlushReport, for batch: FlushBatch) -> JournalRecord {
        let notification = batch.first
        var parts = ["removed \(report.filesRemoved) of \(report.filesSeen) files, freed \(report.bytesFreed) bytes"]
        if report.writtenBack { parts.insert("written back", at: 0) }
        if report.filesAdvised > 0 { parts.append("dropped the pages of \(report.filesAdvised) files") }
        if report.cutShort { parts.append("cut short") }
        if report.mountsSkipped > 0 { parts.append("skipped \(report.mountsSkipped) mounts") }
        for limit in report.limitsReached.sorted(by: { $0.rawValue < $1.rawValue }) {
            parts.append("reached the limit of \(limit)")
        }
        if batch.count > 1 { parts.append("on behalf of \(batch.count) requests") }
        var fields = LifecycleJournalRecords.fields(of: notification)
        fields.add([
            "BELFRY_LISTENER": "cacheFlush", "BELFRY_CACHE": report.name,
            "BELFRY_FILES_REMOVED": "\(report.filesRemoved)", "BELFRY_BYTES_FREED": "\(report.bytesFreed)",
            "BELFRY_REQUESTS": "\(batch.count)",
        ])
        return JournalRecord(
            .info, "cache '\(report.name)': \(parts.joined(separator: ", "))", id: MessageID.cacheFlushed.rawValue,
            fields: fields)
    }
}
