// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// A listener that asks for a stop while it is being told of something, by default a second one while it is told of the
/// first, and then waits to be cancelled.
final class CuttingListener: LifecycleListener {
    private unowned let mediator: LifecycleMediator
    private(set) var wasCancelled = false

    private let interest: LifecycleNotification.Name

    init(_ mediator: LifecycleMediator, on interest: LifecycleNotification.Name = .willTerminate) {
        self.mediator = mediator
        self.interest = interest
    }

    var answers: [LifecycleAnswer] {
        on(interest) { [self] _ in
            mediator.perform(.stop)
            while !Task.isCancelled { await Task.yield() }
            wasCancelled = true
        }
    }
}
