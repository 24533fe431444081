// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Plays while the service is active.
final class VideoListener: LifecycleListener {
    var answers: [LifecycleAnswer] {
        on(.didBecomeActive) { _ in print("  video: play") }
        on(.willResignActive) { _ in print("  video: pause") }
        on(.willTerminate) { _ in print("  video: save the position") }
    }
}
