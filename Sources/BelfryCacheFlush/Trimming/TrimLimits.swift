// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How much a cache may hold. A limit that is nil does not exist; without any, nothing is ever deleted.
package nonisolated struct TrimLimits: Sendable, Equatable {
    /// The sum of the file sizes, in bytes as `ls -l` shows them. A file with several names here counts once.
    package var sizeMax: UInt64?

    /// How long ago a file may have been modified.
    package var ageMax: Duration?

    /// How many files there may be, counted by name.
    package var filesMax: Int?

    /// Makes limits; all are absent unless given.
    package init(sizeMax: UInt64? = nil, ageMax: Duration? = nil, filesMax: Int? = nil) {
        self.sizeMax = sizeMax
        self.ageMax = ageMax
        self.filesMax = filesMax
    }

    /// Whether there is no limit at all.
    package var isEmpty: Bool { sizeMax == nil && ageMax == nil && filesMax == nil }
}
