// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What to delete so that a cache keeps its limits: the oldest files, and no more of them than needed.
///
/// A pure decision. It knows the totals of the whole cache and may be given only its oldest files as candidates.
package nonisolated struct TrimPlan: Sendable, Equatable {
    /// A file that may be deleted.
    package nonisolated struct Candidate: Sendable, Equatable {
        /// What the caller knows the file by; also breaks ties.
        package let id: Int

        /// The same for all names of one file.
        package let identity: FileIdentity

        /// In bytes.
        package let size: UInt64

        /// When the file was last modified, since the Unix epoch.
        package let modified: Duration

        /// Makes a candidate.
        package init(id: Int, identity: FileIdentity, size: UInt64, modified: Duration) {
            self.id = id
            self.identity = identity
            self.size = size
            self.modified = modified
        }
    }

    /// The ids of the files to delete, oldest first.
    package private(set) var removals: [Int] = []

    /// Whether the cache keeps its limits once `removals` are gone. False when there were too few candidates.
    package private(set) var isSufficient = true

    /// Decides.
    ///
    /// - Parameters:
    ///   - candidates: files that may go, in any order; at least the oldest of the cache.
    ///   - files: how many files the cache holds, candidates included.
    ///   - bytes: the sum of their sizes, every file once.
    ///   - limits: what the cache may hold.
    ///   - now: the time since the Unix epoch. A file from the future is the youngest and never too old.
    package init(candidates: [Candidate], files: Int, bytes: UInt64, limits: TrimLimits, now: Duration) {
        let oldestFirst = candidates.sorted {
            ($0.modified, $0.identity.inode, $0.id) < ($1.modified, $1.identity.inode, $1.id)
        }
        var names = Dictionary(oldestFirst.map { ($0.identity, 1) }, uniquingKeysWith: +)
        var files = files
        var bytes = bytes

        func exceeded() -> Bool {
            if let most = limits.filesMax, files > most { return true }
            if let most = limits.sizeMax, bytes > most { return true }
            return false
        }
        for candidate in oldestFirst {
            let expired = limits.ageMax.map { now - candidate.modified > $0 } ?? false
            guard expired || exceeded() else { return }
            removals.append(candidate.id)
            files -= 1
            names[candidate.identity, default: 1] -= 1
            if names[candidate.identity] == 0 { bytes -= min(bytes, candidate.size) }
        }
        isSufficient = !exceeded() && (files <= 0 || limits.ageMax == nil || candidates.isEmpty)
    }
}

/// Keeps the oldest of the files it is shown, never more than twice its capacity, and the totals of all.
nonisolated struct OldestFiles {
    private let capacity: Int
    private var linked: Set<FileIdentity> = []

    /// The files, at most `capacity` after `finish()`, in no order.
    private(set) var files: [FoundFile] = []

    /// How many were shown.
    private(set) var count = 0

    /// The sum of their sizes, every file once.
    private(set) var bytes: UInt64 = 0

    /// Keeps up to `capacity` files, at least one.
    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    /// Shows it a file.
    mutating func add(_ file: FoundFile) {
        count += 1
        // Files with one name need no memory; beyond the capacity a file with several counts by name.
        let counted = file.links > 1 && linked.contains(file.identity)
        if !counted { CacheFlushReport.add(file.size, to: &bytes) }
        if file.links > 1, linked.count < capacity { linked.insert(file.identity) }
        files.append(file)
        if files.count >= 2 * capacity { finish() }
    }

    /// Lets go of all but the oldest `capacity` files.
    mutating func finish() {
        guard files.count > capacity else { return }
        files.sort { ($0.modified, $0.identity.inode) < ($1.modified, $1.identity.inode) }
        files.removeLast(files.count - capacity)
    }
}
