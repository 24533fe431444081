// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration

/// Selects the files to delete: those that are too old, and those that were unused for longest, only as many as needed.
///
/// A pure decision from the totals of the whole directory. The ages may be only those of its oldest files.
package nonisolated struct TrimPlan {
    /// The youngest file of the selection, which has all older ones down to `before`. Nil if nothing is to be deleted.
    package private(set) var last: FileAge?

    /// The youngest file of the selections before; nil for the first one.
    package private(set) var before: FileAge?

    /// The number of files in the selection.
    package private(set) var count = 0

    /// Whether the directory meets its limits without these files. False if too few ages are known.
    package private(set) var isSufficient = true

    private var ages: [FileAge] = []
    private let totals: (count: Int, space: UInt64)
    private let limits: CacheLimits
    private let shortfall: UInt64
    /// A file that was last used before is too old.
    private let expiry: Int64
    private var next = 0
    /// What all selections have together, without what was kept.
    private var removed: (count: Int, space: UInt64) = (0, 0)
    private var kept = 0
    private var extensions = 0

    /// Selects the files.
    ///
    /// - Parameters:
    ///   - files: the oldest files, and the totals of all. They are sorted.
    ///   - limits: the limits of the cache.
    ///   - shortfall: the space that the file system lacks, in bytes.
    ///   - now: the time since the Unix epoch. A file with a time in the future is the youngest and never too old.
    package init(_ files: inout OldestFiles, limits: CacheLimits, shortfall: UInt64 = 0, now: Duration) {
        totals = (files.totals.count, files.totals.space)
        (self.limits, self.shortfall) = (limits, shortfall)
        let expiry = limits.ageMax.map { FileAge.nanoseconds(now - $0) } ?? .min
        self.expiry = expiry
        guard isExceeded || files.ages.contains(where: { $0.usedNsec < expiry }) else { return }
        files.ages.sort()
        ages = files.ages
        select()
    }

    /// Selects others in the place of files that were kept, because they are open. Whether the next ones are open is
    /// not known either: from the fifth time on at least as many are selected as were kept so far, so that no cache is
    /// walked often.
    ///
    /// - Returns: false if no others are needed, or there are none.
    package mutating func extend(keeping open: FileTotals) -> Bool {
        removed.count -= open.count
        removed.space -= min(removed.space, open.space)
        kept += open.count
        extensions += 1
        guard isExceeded else { return false }
        select(atLeast: extensions > 4 ? kept : 0)
        return count > 0
    }

    private var isExceeded: Bool {
        totals.count - removed.count > limits.filesMax ?? .max
            || totals.space - min(totals.space, removed.space) > limits.sizeMax ?? .max || shortfall > removed.space
    }

    private mutating func select(atLeast minimum: Int = 0) {
        (before, count) = (last, 0)
        while next < ages.count {
            let age = ages[next]
            // Names of one file are deleted together.
            guard age == last || age.usedNsec < expiry || count < minimum || isExceeded else { return }
            last = age
            count += 1
            next += 1
            removed.count += 1
            CacheFlushReport.add(age.space, to: &removed.space)
        }
        let isComplete = totals.count <= ages.count
        isSufficient =
            isComplete || !isExceeded && (removed.count >= totals.count || limits.ageMax == nil)
    }
}

/// The number of files, and the space that they take, each file counted once.
package nonisolated struct FileTotals {
    /// The most files with several names that are remembered; beyond that each name counts.
    static let mostLinked = 1 << 16

    private var linked: Set<FileIdentity> = []
    /// The number of names.
    private(set) var count = 0
    /// In bytes.
    private(set) var space: UInt64 = 0

    /// Adds a file under one of its names.
    ///
    /// - Returns: the space that the name adds.
    @discardableResult
    package mutating func add(_ space: UInt64, links: UInt32, identity: FileIdentity) -> UInt64 {
        count += 1
        let isCounted = links > 1 && linked.contains(identity)
        if links > 1, linked.count < Self.mostLinked { linked.insert(identity) }
        let added = isCounted ? 0 : space
        CacheFlushReport.add(added, to: &self.space)
        return added
    }
}

/// What a flush remembers of a file. Its order is the order of deletion.
package nonisolated struct FileAge: Comparable {
    /// When it was last used, in nanoseconds since the Unix epoch.
    package let usedNsec: Int64
    /// Gives files of one age a fixed order.
    let inode: UInt64
    /// The space that it takes, in bytes.
    package let space: UInt64

    package static func == (left: Self, right: Self) -> Bool {
        left.usedNsec == right.usedNsec && left.inode == right.inode
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.usedNsec == right.usedNsec ? left.inode < right.inode : left.usedNsec < right.usedNsec
    }

    /// A time since the Unix epoch, as far as it fits.
    static func nanoseconds(_ time: Duration) -> Int64 {
        let (seconds, attoseconds) = time.components
        let (product, isLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isLarger) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return !isLarge && !isLarger ? sum : seconds < 0 ? .min : .max
    }
}

/// Keeps the ages of the oldest files that are added, temporarily up to half more than its capacity, and the totals of
/// all.
package nonisolated struct OldestFiles {
    private let capacity: Int

    /// At most `capacity` ages after `finish()`.
    fileprivate(set) var ages: [FileAge] = []

    /// Of all files that were added.
    private(set) var totals = FileTotals()

    /// Keeps up to `capacity` files, at least one.
    package init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    /// Adds a file under one of its names.
    package mutating func add(_ age: FileAge, links: UInt32, identity: FileIdentity) {
        let space = totals.add(age.space, links: links, identity: identity)
        ages.append(FileAge(usedNsec: age.usedNsec, inode: age.inode, space: space))
        if ages.count >= capacity + capacity / 2 + 1 { finish() }
    }

    /// Drops all but the oldest `capacity` files.
    mutating func finish() {
        guard ages.count > capacity else { return }
        ages.sort()
        ages.removeLast(ages.count - capacity)
    }
}

/// Identifies a file independently of its names. Inode numbers are unique only within a device, and a tree may have
/// files of several devices: on an overlay, those of its layers.
package nonisolated struct FileIdentity: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64
}
