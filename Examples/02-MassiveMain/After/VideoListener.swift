// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Plays while the service is active, and goes on where it was.
final class VideoListener: LifecycleListener {
    private(set) var frames = 0
    private var position = 0

    var answers: [LifecycleAnswer] {
        on(.didBecomeActive) { [self] _ in play() }
        on(.willResignActive) { [self] _ in pause() }
        on(.flushRequested) { _ in print("video: caches dropped") }
    }

    private func play() {
        frames += 25
        print("video: play from \(position)")
    }

    private func pause() {
        position = frames
        print("video: pause at \(position)")
    }
}
