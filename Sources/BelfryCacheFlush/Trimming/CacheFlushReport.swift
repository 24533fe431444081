// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux

/// What one flush found and did. Counts are of regular files; links, sockets, pipes and devices are in none of them.
package nonisolated struct CacheFlushReport: Sendable, Equatable {
    /// A limit of `TreeLimits` that kept the flush from doing all of its work.
    package nonisolated enum Limit: String, Sendable, CaseIterable {
        /// Directories deeper than the limit were not entered.
        case depth
        /// There were more entries than the limit; the rest was not looked at.
        case entries
        /// More files should have been deleted than one flush remembers; the next goes on.
        case candidates
    }

    /// The name of the cache.
    package let name: String

    /// Files found, by name, without CACHEDIR.TAG.
    package var filesSeen = 0

    /// The sum of their sizes; a file with several names counts once.
    package var bytesSeen: UInt64 = 0

    /// Names deleted.
    package var filesRemoved = 0

    /// The sizes of the deleted files that had no other name.
    package var bytesFreed: UInt64 = 0

    /// Whether the file system was written back.
    package var writtenBack = false

    /// Files whose pages the kernel was advised to drop.
    package var filesAdvised = 0

    /// The pages those files span, in memory or not.
    package var pagesAdvised: UInt64 = 0

    /// Other mounts, and subvolumes, that were met and not entered.
    package var mountsSkipped = 0

    /// False on a kernel that cannot tell that a directory of the same device is mounted there (a bind mount): then
    /// only the device number keeps a flush inside. Linux 5.6 can, from 5.8 on without openat2(2) too.
    package var tellsBindMounts = true

    /// Whether cancellation ended the flush early. What the counts say was done.
    package var cutShort = false

    /// Limits that were met.
    package var limitsReached: Set<Limit> = []

    /// What failed, file by file, the first few.
    package private(set) var problems: [SystemError] = []

    /// How many more there were.
    package private(set) var problemsOmitted = 0

    /// Files found and not deleted.
    package var filesKept: Int { filesSeen - filesRemoved }

    /// Makes the report of a flush that has done nothing yet.
    package init(name: String) {
        self.name = name
    }

    /// Adds a problem, or counts it when there are `most` already.
    mutating func note(_ problem: SystemError, most: Int) {
        if problems.count < most { problems.append(problem) } else { problemsOmitted += 1 }
    }

    /// Adds a size without overflow: file sizes are for anybody to choose.
    static func add(_ size: UInt64, to sum: inout UInt64) {
        let (value, overflow) = sum.addingReportingOverflow(size)
        sum = overflow ? .max : value
    }
}
