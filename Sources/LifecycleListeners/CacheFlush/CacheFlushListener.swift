// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import CacheTrimming
package import Lifecycle
internal import ServiceManager

/// Writes caches back and trims them: one listener per `[Cache NAME]`, whenever one of its notifications comes.
///
/// The work is done on another thread, so that a slow disk does not hold the loop. At the deadline it stops where it
/// is, and the next flush goes on from there.
package final class CacheFlushListener: LifecycleListener {
    package let name = "cacheFlush"
    private let log: ServiceLog
    private var caches: [CacheSettings]

    /// - Parameters:
    ///   - configuration: says which caches there are.
    ///   - log: hears what was freed, and what went wrong with single files.
    package init(configuration: LifecycleConfiguration, log: ServiceLog) {
        self.log = log
        caches = Self.caches(in: configuration)
    }

    package var answers: [LifecycleAnswer] {
        for name in [
            LifecycleNotification.Name.flushRequested, .didReceiveMemoryWarning, .didEnterBackground, .willTerminate,
        ] {
            on(name) { [self] in try await flush($0) }
        }
        on(.didReload) { [self] in caches = Self.caches(in: $0.configuration) }
        on(.didFailToReload) { [self] in caches = Self.caches(in: $0.configuration) }
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
