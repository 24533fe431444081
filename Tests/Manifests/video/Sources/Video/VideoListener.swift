// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

package final class VideoListener: LifecycleListener {
    package let name = "video"
    package private(set) var isPlaying = false

    package init() {}

    package var answers: [LifecycleAnswer] {
        on(.didBecomeActive) { [self] _ in isPlaying = true }
        on(.willResignActive) { [self] _ in isPlaying = false }
    }
}
