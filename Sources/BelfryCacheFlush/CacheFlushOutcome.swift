// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What became of one cache.
nonisolated struct CacheFlushOutcome: Sendable {
    /// What was done; nil when the cache could not be used at all.
    let report: CacheFlushReport?
    /// What went wrong, a line each.
    let problems: [String]

    /// Flushes the cache, on whatever thread this is.
    init(of cache: CacheDirectory, now: Duration, isCancelled: @escaping @Sendable () -> Bool) {
        self.init(cache) { () throws(CacheError) in try cache.flush(now: now, isCancelled: isCancelled) }
    }

    /// Looks what a flush would come to.
    init(rehearsing cache: CacheDirectory, isCancelled: @escaping @Sendable () -> Bool) {
        self.init(cache) { () throws(CacheError) in try cache.rehearseFlush(isCancelled: isCancelled) }
    }

    private init(_ cache: CacheDirectory, _ work: () throws(CacheError) -> CacheFlushReport) {
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
