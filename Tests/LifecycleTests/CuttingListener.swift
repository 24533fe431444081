// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// A listener that asks for a second stop while it is being told of the first, and then waits to be cancelled.
final class CuttingListener: LifecycleListener {
    private unowned let mediator: LifecycleMediator
    private(set) var wasCancelled = false

    init(_ mediator: LifecycleMediator) { self.mediator = mediator }

    var answers: [LifecycleAnswer] {
        on(.willTerminate) { [self] _ in
            mediator.perform(.stop)
            while !Task.isCancelled { await Task.yield() }
            wasCancelled = true
        }
    }
}
