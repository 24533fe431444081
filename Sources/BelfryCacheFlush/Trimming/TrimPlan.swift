// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Selects the files to delete so that a cache meets its limits: the oldest, and no more than needed.
///
/// A pure decision from the totals of the whole cache. The candidates may be only its oldest files.
package nonisolated struct TrimPlan {
    /// The files to delete, oldest first.
    package private(set) var removals: [FoundFile] = []

    /// Whether the cache meets its limits without `removals`. False if there were too few candidates.
    package private(set) var isSufficient = true

    /// Selects the files.
    ///
    /// - Parameters:
    ///   - candidates: files that may be deleted, in any order; at least the oldest of the cache.
    ///   - count: the number of files in the cache, including the candidates.
    ///   - bytes: the sum of their sizes, each file counted once.
    ///   - limits: the limits of the cache.
    ///   - now: the time since the Unix epoch. A file with a time in the future is the youngest and never too old.
    package init(candidates: [FoundFile], count: Int, bytes: UInt64, limits: TrimLimits, now: Duration) {
        let oldestFirst = candidates.sorted(by: FoundFile.isOlder)
        var names = Dictionary(oldestFirst.map { ($0.identity, 1) }, uniquingKeysWith: +)
        var (count, bytes) = (count, bytes)

        func exceeded() -> Bool {
            if let most = limits.filesMax, count > most { return true }
            if let most = limits.sizeMax, bytes > most { return true }
            return false
        }
        for candidate in oldestFirst {
            let expired = limits.ageMax.map { now - candidate.modified > $0 } ?? false
            guard expired || exceeded() else { return }
            removals.append(candidate)
            count -= 1
            names[candidate.identity, default: 1] -= 1
            if names[candidate.identity] == 0 { bytes -= min(bytes, candidate.size) }
        }
        isSufficient = !exceeded() && (count <= 0 || limits.ageMax == nil || candidates.isEmpty)
    }
}

/// Keeps the oldest of the files that are added, temporarily up to twice its capacity, and the totals of all.
nonisolated struct OldestFiles {
    private let capacity: Int
    private var linked: Set<FileIdentity> = []

    /// The files, at most `capacity` after `finish()`, in no order.
    private(set) var files: [FoundFile] = []

    /// The number of files added.
    private(set) var count = 0

    /// The sum of their sizes, each file counted once.
    private(set) var bytes: UInt64 = 0

    /// Keeps up to `capacity` files, at least one.
    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    mutating func add(_ file: FoundFile) {
        count += 1
        // Only files with several names are remembered; beyond the capacity they count once for each name.
        let counted = file.links > 1 && linked.contains(file.identity)
        if !counted { CacheFlushReport.add(file.size, to: &bytes) }
        if file.links > 1, linked.count < capacity { linked.insert(file.identity) }
        files.append(file)
        if files.count >= 2 * capacity { finish() }
    }

    /// Drops all but the oldest `capacity` files.
    mutating func finish() {
        guard files.count > capacity else { return }
        files.sort(by: FoundFile.isOlder)
        files.removeLast(files.count - capacity)
    }
}
