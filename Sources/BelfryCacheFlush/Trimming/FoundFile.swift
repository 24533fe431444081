// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry

/// A regular file that a walk came across.
nonisolated struct FoundFile {
    /// The directory it is in.
    let directory: TreeNode

    /// Its NUL-terminated name there.
    let name: [CChar]

    /// What it was when it was found.
    let identity: FileIdentity
    let size: UInt64
    let modified: Duration
    let links: UInt32

    /// Remembers a file.
    init(directory: TreeNode, name: [CChar], status: belfry_status) {
        self.directory = directory
        self.name = name
        identity = FileIdentity(status)
        size = status.size
        modified = FoundFile.modified(status)
        links = status.links
    }

    /// Whether a status is still that of this file, unchanged since. Inode numbers are used again, so the time of
    /// modification has to agree as well.
    func matches(_ status: belfry_status) -> Bool {
        belfry_is_regular(status.mode) && FileIdentity(status) == identity && FoundFile.modified(status) == modified
    }

    /// No overflow, whatever time somebody gave the file.
    private static func modified(_ status: belfry_status) -> Duration {
        .seconds(status.seconds) + .nanoseconds(Int64(status.nanoseconds))
    }
}
