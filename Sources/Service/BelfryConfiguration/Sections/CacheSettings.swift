// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
package import Lifecycle

/// `[Cache NAME]`: a cache in directories, whose files can be recreated, and what a flush does to it.
package nonisolated struct CacheSettings: Sendable, Equatable {
    /// The name in the brackets.
    package var name: String
    /// Absolute paths, whose components may be patterns (glob(7)). Parent directories before the first pattern may be
    /// symbolic links. The directories themselves must not be symbolic links or mount points.
    package var paths: [String]
    /// The limits of each directory after a flush.
    package var limits = CacheLimits()
    /// Whether the file systems are written back first (syncfs(2)).
    package var writeBack: Bool
    /// Whether a flush only finds out what it would delete.
    package var isDryRun: Bool
    /// The notifications that flush it.
    package var on: [LifecycleNotification.Name]

    init(_ section: SectionReader) {
        name = section.content.instance ?? ""
        paths = section.list("Path", of: Specifiers.checked, default: nil)
        limits.sizeMax = section.optional("SizeMax", ByteSizeText.parse)
        limits.ageMax = section.optional("AgeMax", TimeSpanText.parse)
        limits.filesMax = section.optional("FilesMax", Self.count)
        limits.keepFree = section.optional("KeepFree", ByteSizeText.parse)
        writeBack = section.boolean("WriteBack", default: true)
        isDryRun = section.boolean("DryRun", default: false)
        on = section.names("On", default: "flushRequested didReceiveMemoryWarning didEnterBackground willTerminate")
    }

    private static func count(_ text: String) throws(ValueProblem) -> Int? {
        text.hasSameBytes(as: "infinity") ? nil : try IntegerText.parse(text, in: 0...Int.max)
    }
}

/// The limits of a cache directory; nil for no limit. Without any, nothing is deleted.
package nonisolated struct CacheLimits: Sendable, Equatable {
    /// The maximum space that the files take on the disk, in bytes, as du(1) shows it.
    package var sizeMax: UInt64?
    /// The maximum time since a file was used.
    package var ageMax: Duration?
    /// The maximum number of files, counted by name.
    package var filesMax: Int?
    /// The space to keep free on the file system, in bytes. Only space that other users than root can use counts.
    package var keepFree: UInt64?

    package var isEmpty: Bool { self == CacheLimits() }
}
