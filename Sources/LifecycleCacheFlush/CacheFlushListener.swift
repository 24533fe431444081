// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import CacheTrimming
internal import EventLoop
package import Lifecycle
package import LifecycleListeners
internal import ServiceManager

/// Writes caches back and trims them: every `[Cache NAME]` whenever one of its notifications comes.
///
/// The work is done on another thread, so that a slow disk does not hold the loop. At the deadline it stops where it
/// is, and the next flush goes on from there.
package final class CacheFlushListener: LifecycleListener {
    package let name = "cacheFlush"
    private let log: ServiceLog
    private unowned let mediator: LifecycleMediator
    private var caches: [CacheSettings]

    /// - Parameters:
    ///   - mediator: its configuration says which caches there are.
    ///   - log: hears what was freed.
    package init(mediator: LifecycleMediator, log: ServiceLog) {
        self.mediator = mediator
        self.log = log
        caches = Self.caches(in: mediator.configuration)
    }

    package var answers: [LifecycleAnswer] {
        for interest in interests {
            onCompletion(interest) { [self] in flush($0, $1) }.rehearsingOnCompletion { [self] in rehearse($0, $1) }
        }
        on(.didReload) { [self] in apply($0.configuration) }
        on(.didFailToReload) { [self] in apply($0.configuration) }
    }

    /// The notifications that any cache is flushed on, in the order of the configuration.
    private var interests: [LifecycleNotification.Name] {
        var seen: Set<String> = []
        return caches.flatMap(\.on).filter { seen.insert($0).inserted }.compactMap { LifecycleNotification.Name($0) }
    }

    private func apply(_ configuration: LifecycleConfiguration?) {
        caches = Self.caches(in: configuration)
        mediator.updateAnswers(of: self)
    }

    /// - Returns: what gives the flush up.
    private func flush(
        _ notification: LifecycleNotification, _ completion: @escaping (Result<Void, any Error>) -> Void
    ) -> () -> Void {
        let caches = caches(for: notification)
        let flag = CancellationFlag()
        let now = Duration.microseconds(notification.time.realtimeUsec)
        WorkerThread.run {
            caches.map { cache in CacheFlushOutcome(of: cache, now: now) { flag.isRaised } }
        } then: { [self] outcomes in
            if notification.name == .didReceiveMemoryWarning { _ = MallocTrim.run() }
            for outcome in outcomes {
                if let report = outcome.report { log.write(CacheFlushRecord.record(of: report, for: notification)) }
            }
            completion(Self.result(of: outcomes))
        }
        return { flag.raise() }
    }

    /// Looks whether a flush would succeed.
    private func rehearse(
        _ notification: LifecycleNotification, _ completion: @escaping (Result<Void, any Error>) -> Void
    ) -> () -> Void {
        let caches = caches(for: notification)
        let flag = CancellationFlag()
        WorkerThread.run {
            caches.map { cache in CacheFlushOutcome(rehearsing: cache) { flag.isRaised } }
        } then: { outcomes in
            completion(Self.result(of: outcomes))
        }
        return { flag.raise() }
    }

    private func caches(for notification: LifecycleNotification) -> [CacheDirectory] {
        caches.filter { $0.on.contains(notification.name.rawValue) }.map { CacheDirectory($0) }
    }

    private static func result(of outcomes: [CacheFlushOutcome]) -> Result<Void, any Error> {
        let problems = outcomes.flatMap(\.problems)
        return problems.isEmpty ? .success(()) : .failure(CacheFlushFailure(problems: problems))
    }

    private static func caches(in configuration: LifecycleConfiguration?) -> [CacheSettings] {
        configuration?[BelfrySettings.self]?.caches ?? []
    }
}
