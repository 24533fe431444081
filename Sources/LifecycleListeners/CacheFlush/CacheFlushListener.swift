// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import CacheTrimming
package import Lifecycle
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
            on(interest) { [self] in try await flush($0) }
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

    private func flush(_ notification: LifecycleNotification) async throws {
        var problems: [String] = []
        for cache in caches where cache.on.contains(notification.name.rawValue) {
            do {
                let report = try await Self.flush(CacheDirectory(cache), now: notification.time)
                log.write(CacheFlushRecord.record(of: report, for: notification))
                problems += report.problems.map { "cache '\(cache.name)': \($0)" }
            } catch {
                problems.append("cache '\(cache.name)': \(error)")
            }
            if Task.isCancelled { break }
        }
        if notification.name == .didReceiveMemoryWarning { _ = MallocTrim.run() }
        if !problems.isEmpty { throw CacheFlushFailure(problems: problems) }
    }

    @concurrent
    private nonisolated static func flush(
        _ cache: CacheDirectory, now: LifecycleTime
    ) async throws(CacheError) -> CacheFlushReport {
        try cache.flush(now: .microseconds(now.realtimeUsec))
    }

    private static func caches(in configuration: LifecycleConfiguration?) -> [CacheSettings] {
        configuration?[BelfrySettings.self]?.caches ?? []
    }
}
