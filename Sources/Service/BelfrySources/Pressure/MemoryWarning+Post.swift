// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
package import Lifecycle

extension LifecycleMediator {
    /// Posts a memory warning, and returns memory that listeners have freed to the system (malloc_trim(3)).
    package func warnOfMemory(_ level: MemoryWarning.Level, origin: LifecycleOrigin = .service) {
        post(MemoryWarning(level), origin: origin) { _ in belfry_malloc_trim() }
    }
}
