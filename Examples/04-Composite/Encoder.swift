// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// A leaf that needs the devices: it begins after them, and ends before.
final class Encoder: LifecycleListener {
    var answers: [LifecycleAnswer] {
        on(.didBecomeActive) { _ in print("  encoder: begin") }
        on(.willResignActive) { _ in print("  encoder: finish the frame") }
        on(.willTerminate) { _ in print("  encoder: end") }
    }
}
