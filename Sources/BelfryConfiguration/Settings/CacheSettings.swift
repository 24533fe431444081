// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// `[Cache NAME]`.
package nonisolated struct CacheSettings: Sendable, Equatable {
    /// The name in the brackets.
    package var name: String
    /// The directory.
    package var path: String
    /// Bytes to keep; nil for no limit.
    package var sizeMax: UInt64?
    /// The age above which a file goes; nil for no limit.
    package var ageMax: Duration?
    /// Files to keep; nil for no limit.
    package var filesMax: Int?
    /// Whether to write the file system's changes to the disk.
    package var writeBack: Bool
    /// Whether to advise the kernel to drop the files from its memory.
    package var dropPages: Bool
    /// The notifications that flush it.
    package var on: [String]

    init(_ section: EffectiveSection) {
        name = section.instance ?? ""
        path = section.requiredText("Path")
        sizeMax = section.bytes("SizeMax")
        ageMax = section.duration("AgeMax")
        filesMax = section.optionalInteger("FilesMax")
        writeBack = section.boolean("WriteBack")
        dropPages = section.boolean("DropPages")
        on = section.texts("On")
    }
}
