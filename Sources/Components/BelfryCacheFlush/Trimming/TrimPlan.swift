// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration

/// Selects the files to delete so that a directory meets its limits: those that were unused for longest, and no more than
/// needed.
///
/// A pure decision from the totals of the whole directory. The ages may be only those of its oldest files.
package nonisolated struct TrimPlan {
    /// The youngest file to delete. All others to delete are older. Nil if nothing is to be deleted.
    package private(set) var last: FileAge?

    /// The number of files to delete.
    package private(set) var count = 0

    /// Whether the directory meets its limits without these files. False if too few ages are known.
    package private(set) var isSufficient = true

    /// Selects the files.
    ///
    /// - Parameters:
    ///   - files: the oldest files, and the totals of all. They are sorted.
    ///   - limits: the limits of the cache.
    ///   - shortfall: the space that the file system lacks, in bytes.
    ///   - now: the time since the Unix epoch. A file with a time in the future is the youngest and never too old.
    package init(_ files: inout OldestFiles, limits: CacheLimits, shortfall: UInt64 = 0, now: Duration) {
        var (left, space, missing) = (files.count, files.space, shortfall)
        let expiry = limits.ageMax.map { FileAge.nanoseconds(now - $0) }

        func exceeded() -> Bool {
            if let most = limits.filesMax, left > most { return true }
            if let most = limits.sizeMax, space > most { return true }
            return missing > 0
        }
        let isExpired = { (age: FileAge) in expiry.map { age.usedNsec < $0 } ?? false }
        guard exceeded() || files.ages.contains(where: isExpired) else { return }
        files.sort()
        for age in files.ages {
            // Names of one file are deleted together.
            guard age == last || isExpired(age) || exceeded() else { return }
            last = age
            count += 1
            left -= 1
            space -= min(space, age.space)
            missing -= min(missing, age.space)
        }
        let isComplete = files.count <= files.ages.count
        isSufficient = isComplete || !exceeded() && (left <= 0 || limits.ageMax == nil)
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

    package init(usedNsec: Int64, inode: UInt64, space: UInt64) {
        self.usedNsec = usedNsec
        self.inode = inode
        self.space = space
    }

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

/// Keeps the ages of the oldest files that are added, temporarily up to half more than its capacity, and the totals of all.
package nonisolated struct OldestFiles {
    private static let mostLinked = 1 << 16

    private let capacity: Int
    private var linked: Set<FileIdentity> = []

    /// At most `capacity` ages after `finish()`.
    private(set) var ages: [FileAge] = []

    /// The number of files added.
    private(set) var count = 0

    /// The space that they take, each file counted once.
    private(set) var space: UInt64 = 0

    /// Keeps up to `capacity` files, at least one.
    package init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    /// Adds a file under one of its names.
    package mutating func add(_ age: FileAge, links: UInt32, identity: FileIdentity) {
        count += 1
        // Only files with several names are remembered; beyond the limit they count once for each name.
        let isCounted = links > 1 && linked.contains(identity)
        if links > 1, linked.count < Self.mostLinked { linked.insert(identity) }
        let space = isCounted ? 0 : age.space
        CacheFlushReport.add(space, to: &self.space)
        ages.append(FileAge(usedNsec: age.usedNsec, inode: age.inode, space: space))
        if ages.count >= capacity + capacity / 2 + 1 { finish() }
    }

    /// Drops all but the oldest `capacity` files.
    mutating func finish() {
        guard ages.count > capacity else { return }
        sort()
        ages.removeLast(ages.count - capacity)
    }

    mutating func sort() { ages.sort() }

    /// Gives the memory back.
    mutating func removeAll() {
        ages = []
        linked = []
    }
}

/// Identifies a file independently of its names. Inode numbers are unique only within a device, and a tree may have files of
/// several devices: on an overlay, those of its layers.
package nonisolated struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}
