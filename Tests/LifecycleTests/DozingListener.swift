// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// A listener whose answers take 3 s by the clock it is given.
final class DozingListener: LifecycleListener {
    private let clock: any LifecycleClock

    init(_ clock: any LifecycleClock) { self.clock = clock }

    var answers: [LifecycleAnswer] {
        for name in [LifecycleNotification.Name.didBecomeActive, .willTerminate] {
            onCompletion(name) { [clock] _, completion in
                let timer = clock.schedule(after: .seconds(3)) { completion(.success(())) }
                return { timer.cancel() }
            }
        }
    }
}
