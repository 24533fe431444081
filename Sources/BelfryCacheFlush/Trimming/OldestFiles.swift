// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Keeps the oldest of the files it is shown, never more than twice its capacity, and the totals of all.
nonisolated struct OldestFiles {
    private let capacity: Int
    private var linked: Set<FileIdentity> = []

    /// The files, at most `capacity` after `finish()`, in no order.
    private(set) var files: [FoundFile] = []

    /// How many were shown.
    private(set) var count = 0

    /// The sum of their sizes, every file once.
    private(set) var bytes: UInt64 = 0

    /// Keeps up to `capacity` files, at least one.
    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    /// Shows it a file.
    mutating func add(_ file: FoundFile) {
        count += 1
        // Files with one name need no memory; beyond the capacity a file with several counts by name.
        let counted = file.links > 1 && linked.contains(file.identity)
        if !counted { CacheFlushReport.add(file.size, to: &bytes) }
        if file.links > 1, linked.count < capacity { linked.insert(file.identity) }
        files.append(file)
        if files.count >= 2 * capacity { finish() }
    }

    /// Lets go of all but the oldest `capacity` files.
    mutating func finish() {
        guard files.count > capacity else { return }
        files.sort { ($0.modified, $0.identity.inode) < ($1.modified, $1.identity.inode) }
        files.removeLast(files.count - capacity)
    }
}
