// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryEventLoop
package import Lifecycle
package import BelfryListeners
internal import BelfrySystemd

/// Writes caches back and trims them: every `[Cache NAME]` whenever one of its notifications comes.
///
/// The work is done on another thread, so that a slow disk does not hold the loop. At the deadline it stops where it
/// is, and the next flush goes on from there.
///
/// One flush runs at a time. Those that are asked for meanwhile are merged into one more, which runs when it has ended:
/// everyone who waits gets the result of a flush that began after the request. A stop gives up what was posted, and what
/// is posted during a stop fails; a flush that is part of a transition is done.
package final class CacheFlushListener: LifecycleListener {
    package let name = "cacheFlush"
    private let log: ServiceLog
    private unowned let mediator: LifecycleMediator
    private var caches: [CacheSettings]
    private var running: FlushBatch?
    private var waiting: FlushBatch?

    /// - Parameters:
    ///   - mediator: its configuration says which caches there are.
    ///   - log: hears what was freed.
    package init(mediator: LifecycleMediator, log: ServiceLog) {
        self.mediator = mediator
        self.log = log
        caches = Self.caches(in: mediator.configuration)
        mediator.addStopObserver { [weak self] _ in self?.giveUpPosts() }
    }

    package var answers: [LifecycleAnswer] {
        for interest in interests {
            onOutcome(interest) { [self] in flush($0, $1, $2) }.rehearsingOnCompletion { [self] in rehearse($0, $1) }
        }
        // Nothing in it can fail.
        on(.didReload) { [self] in apply($0.configuration) }.rehearsing { _ in }
        on(.didFailToReload) { [self] in apply($0.configuration) }
    }

    /// The notifications that any cache is flushed on, in the order of the configuration.
    private var interests: [LifecycleNotification.Name] {
        var seen: Set<LifecycleNotification.Name> = []
        return caches.flatMap(\.on).compactMap { LifecycleNotification.Name($0) }.filter { seen.insert($0).inserted }
    }

    private func apply(_ configuration: LifecycleConfiguration?) {
        caches = Self.caches(in: configuration)
        mediator.updateAnswers(of: self)
    }

    /// - Returns: what gives the request up.
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
            FlushBatch.Request(notification: notification, completion: completion), isAwaited: progress.isAwaited)
        runNext()
        return { [weak self] in
            batch.remove(number)
            self?.dropUnwanted(batch)
        }
    }

    /// Begins what waits, if nothing runs.
    private func runNext() {
        guard running == nil, let batch = waiting else { return }
        (running, waiting) = (batch, nil)
        let wanted = caches.filter { cache in batch.names.contains { cache.on.contains($0.rawValue) } }
        let directories = wanted.map { CacheDirectory($0) }
        let now = Duration.microseconds(mediator.clock.now.realtimeUsec)
        let flag = batch.flag
        WorkerThread.run {
            directories.map { cache in CacheFlushOutcome(of: cache, now: now) { flag.isRaised } }
        } then: { [self] outcomes in
            if batch.names.contains(.didReceiveMemoryWarning) { _ = MallocTrim.run() }
            for outcome in outcomes {
                if let report = outcome.report { log.write(CacheFlushRecord.record(of: report, for: batch)) }
            }
            running = nil
            batch.end { request in
                let name = request.notification.name.rawValue
                return Self.outcome(of: zip(wanted, outcomes).filter { $0.0.on.contains(name) }.map(\.1))
            }
            runNext()
        }
    }

    /// Whoever posts waits for a service that goes on.
    private func giveUpPosts() {
        for batch in [running, waiting].compactMap(\.self) {
            batch.end {
                $0.trigger == nil
            } _: { _ in
                Self.stopping
            }
            dropUnwanted(batch)
        }
    }

    /// Gives a batch up that nobody waits for any more.
    private func dropUnwanted(_ batch: FlushBatch) {
        guard batch.requests.isEmpty else { return }
        batch.flag.raise()
        if waiting === batch { waiting = nil }
    }

    /// Looks whether a flush would succeed.
    private func rehearse(
        _ notification: LifecycleNotification, _ completion: @escaping (Result<Void, any Error>) -> Void
    ) -> () -> Void {
        let caches = caches.filter { $0.on.contains(notification.name.rawValue) }.map { CacheDirectory($0) }
        let flag = CancellationFlag()
        WorkerThread.run {
            caches.map { cache in CacheFlushOutcome(rehearsing: cache) { flag.isRaised } }
        } then: { outcomes in
            let problems = outcomes.flatMap(\.problems)
            completion(problems.isEmpty ? .success(()) : .failure(CacheFlushFailure(problems: problems)))
        }
        return { flag.raise() }
    }

    private static let stopping = ListenerOutcome.failed("given up, as the service is stopping")

    private static func outcome(of outcomes: [CacheFlushOutcome]) -> ListenerOutcome {
        let problems = outcomes.flatMap(\.problems)
        return problems.isEmpty ? .completed : .failed(CacheFlushFailure(problems: problems).description)
    }

    private static func caches(in configuration: LifecycleConfiguration?) -> [CacheSettings] {
        configuration?[BelfrySettings.self]?.caches ?? []
    }
}
