// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What went wrong with caches; those that are not named were flushed.
nonisolated struct CacheFlushFailure: Error, Sendable, CustomStringConvertible {
    /// A line for each.
    let problems: [String]

    var description: String { problems.joined(separator: "; ") }
}
