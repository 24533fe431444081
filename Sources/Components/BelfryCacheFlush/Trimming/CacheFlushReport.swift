// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry

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

    /// Whether nothing was to be changed.
    package let isDryRun: Bool

    /// The number of directories.
    package var directories = 0

    /// The number of files found, counted by name, without CACHEDIR.TAG.
    package var filesSeen = 0

    /// The number of names deleted, or that a dry run would delete.
    package var filesRemoved = 0

    /// The number of files that were to be deleted and were not, because they are open.
    package var filesOpen = 0

    /// The space that the deleted files took which had no other name, in bytes.
    package var bytesFreed: UInt64 = 0

    /// How many names of a file with several names a dry run would have deleted.
    private var namesGone: [FileIdentity: UInt32] = [:]

    /// The paths of the first files that a dry run would delete.
    package private(set) var examples: [String] = []

    /// Whether the file system was written back.
    package var writtenBack = false

    /// The number of other mounts and subvolumes, which were not entered.
    package var mountsSkipped = 0

    /// Whether cancellation ended the flush early.
    package var cutShort = false

    /// The limits that were reached.
    package var limitsReached: Set<Limit> = []

    /// The first failures.
    package private(set) var problems: [String] = []

    private static let mostProblems = 16
    private static let mostExamples = 64

    /// The report of a flush that has done nothing yet.
    package init(name: String, isDryRun: Bool = false) {
        self.name = name
        self.isDryRun = isDryRun
    }

    /// Adds a problem, unless there are many already.
    mutating func add(_ problem: String) {
        if problems.count < Self.mostProblems { problems.append(problem) }
    }

    /// Adds a failed system call.
    mutating func add(_ error: Errno, _ verb: String, _ object: String) {
        if problems.count < Self.mostProblems { add("\(CacheError(error, verb, object))") }
    }

    /// Adds a file that a dry run would delete.
    mutating func addExample(_ path: @autoclosure () -> String) {
        if examples.count < Self.mostExamples { examples.append(path()) }
    }

    /// Adds a file that was deleted, or that a dry run would delete, under one of its names.
    ///
    /// - Returns: the space that it took, if it has no other name.
    mutating func addRemoved(_ file: WalkedFile) -> UInt64 {
        filesRemoved += 1
        var links = file.status.links
        if isDryRun, links > 1, namesGone.count < FileTotals.mostLinked {
            links -= min(namesGone[file.identity, default: 0], links - 1)
            namesGone[file.identity, default: 0] += 1
        }
        let freed = links == 1 ? file.status.space : 0
        Self.add(freed, to: &bytesFreed)
        return freed
    }

    /// Adds a size with saturation.
    static func add(_ size: UInt64, to sum: inout UInt64) {
        let (value, overflow) = sum.addingReportingOverflow(size)
        sum = overflow ? .max : value
    }
}
