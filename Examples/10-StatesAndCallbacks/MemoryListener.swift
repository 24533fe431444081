// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Declares the one notification that it needs.
final class MemoryListener: LifecycleListener {
    var answers: [LifecycleAnswer] {
        onEvent(MemoryWarning.self) { _ in print("    callback of the one that declared it") }
    }
}
