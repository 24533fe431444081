// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry

/// Gives the free memory of this process's heap back to the kernel.
package nonisolated enum MallocTrim {
    /// Trims the heap (malloc_trim(3)). May be called on any thread, and takes longer the more is free.
    ///
    /// - Returns: whether anything was given back.
    @discardableResult
    package static func run() -> Bool {
        belfry_malloc_trim()
    }
}
