// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// A leaf.
final class Camera: LifecycleListener {
    var answers: [LifecycleAnswer] {
        on(.didBecomeActive) { _ in print("  camera: on") }
        on(.willTerminate) { _ in print("  camera: off") }
    }
}
