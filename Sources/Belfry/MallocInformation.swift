// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// What the C library's allocator says of the heap.
nonisolated enum MallocInformation {
    /// One line for people, and below it malloc_info(3) for programs, which goes through the arenas one by one.
    static var text: String {
        let usage = belfry_malloc_usage()
        let summary =
            "heap: \(usage.used) bytes in use, \(usage.unused) free, \(usage.arena) from brk, \(usage.mapped) from mmap"
        guard let details = belfry_malloc_info() else { return summary }
        defer { free(details) }
        return summary + "\n" + String(cString: details)
    }
}
