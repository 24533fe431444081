// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux

/// What one flush found and did. Only regular files are counted.
package nonisolated struct CacheFlushReport: Sendable, Equatable {
    /// A limit of `TreeLimits` that ended the flush early.
    package nonisolated enum Limit: String, Sendable, CaseIterable {
        /// Directories deeper than the limit were not entered.
        case depth
        /// There were more entries than the limit; the rest was not examined.
        case entries
        /// More files should have been deleted than one flush keeps track of; the next flush continues.
        case candidates
    }

    /// The name of the cache.
    package let name: String

    /// The number of files found, counted by name, without CACHEDIR.TAG.
    package var filesSeen = 0

    /// The number of names deleted.
    package var filesRemoved = 0

    /// The sizes of the deleted files that had no other name.
    package var bytesFreed: UInt64 = 0

    /// Whether the file system was written back.
    package var writtenBack = false

    /// The number of files whose pages the kernel was advised to drop.
    package var filesAdvised = 0

    /// The number of other mounts and subvolumes, which were not entered.
    package var mountsSkipped = 0

    /// Whether cancellation ended the flush early.
    package var cutShort = false

    /// The limits that were reached.
    package var limitsReached: Set<Limit> = []

    /// The first failures.
    package private(set) var problems: [SystemError] = []

    private static let mostProblems = 16

    /// The report of a flush that has done nothing yet.
    package init(name: String) {
        self.name = name
    }

    /// Adds a problem, unless there are many already.
    mutating func add(_ problem: SystemError) {
        if problems.count < Self.mostProblems { problems.append(problem) }
    }

    /// Adds a size with saturation: any user can choose a file size.
    static func add(_ size: UInt64, to sum: inout UInt64) {
        let (value, overflow) = sum.addingReportingOverflow(size)
        sum = overflow ? .max : value
    }
}
