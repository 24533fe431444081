// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// The listener of the article on testing.
final class PlayerListener: LifecycleListener {
    private(set) var isPlaying = false
    private weak var mediator: LifecycleMediator?

    init(mediator: LifecycleMediator? = nil, clock: (any LifecycleClock)? = nil) { self.mediator = mediator }

    var answers: [LifecycleAnswer] {
        on(.didBecomeActive) { [self] _ in isPlaying = true }
        on(.willResignActive) { [self] _ in isPlaying = false }
    }
}

/// Settings that the conformance check hands in.
nonisolated struct PlayerSettings {
    var volume: Int
}
