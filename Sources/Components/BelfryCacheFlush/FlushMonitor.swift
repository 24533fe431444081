// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Synchronization

/// Cancels a flush that runs on another thread, and shows its progress.
package nonisolated final class FlushMonitor: Sendable {
    private let cancelled = Atomic(false)
    private let found = Atomic(0)
    private let selected = Atomic(0)
    private let removed = Atomic(0)
    private let freed = Atomic<UInt64>(0)

    package init() {}

    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    package func cancel() { cancelled.store(true, ordering: .relaxed) }

    /// The number of files found, of all caches of a flush together.
    var filesSeen: Int { found.load(ordering: .relaxed) }
    /// The number of files to delete, as far as that is known.
    var filesSelected: Int { selected.load(ordering: .relaxed) }
    /// The number of those that were deleted.
    var filesRemoved: Int { removed.load(ordering: .relaxed) }
    /// The space that they took, in bytes.
    var bytesFreed: UInt64 { freed.load(ordering: .relaxed) }

    func addFound() { found.wrappingAdd(1, ordering: .relaxed) }

    func addSelected(_ count: Int) { selected.wrappingAdd(count, ordering: .relaxed) }

    func addRemoved(freeing bytes: UInt64) {
        removed.wrappingAdd(1, ordering: .relaxed)
        freed.wrappingAdd(bytes, ordering: .relaxed)
    }
}
